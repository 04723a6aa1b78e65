// Frames: a header is read as it was written, and other bytes are refused.
#include "trellis/transport/sessions/frame.hpp"

#include <gtest/gtest.h>

#include "trellis/transport/sessions/crc32c.hpp"
#include "trellis/transport/streams/transport_error.hpp"
#include "unit/error_message.hpp"

namespace trellis::frame_test {

std::uint32_t checksum_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

TEST(Crc32cTest, has_the_values_of_the_standard) {
    EXPECT_EQ(checksum_of("123456789"), 0xe3069283U);            // the check value of CRC-32C
    EXPECT_EQ(checksum_of(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, appendix B.4
    EXPECT_EQ(checksum_of(std::string(32, '\xff')), 0x62a8ab43U);
}

FrameHeader some_header() {
    FrameHeader header;
    header.type = FrameType::calls;
    header.flags = 0x1234;
    header.device = 7;
    header.body_bytes = 1000;
    header.data_bytes = 100'000;
    header.request = 1ULL << 40;
    header.received = 3;
    header.consumed = 1ULL << 50;
    return header;
}

TEST(FrameTest, a_header_is_read_as_it_was_written) {
    const FrameHeader back = decode(encode(some_header()), limits_of_session);
    EXPECT_EQ(back.type, FrameType::calls);
    EXPECT_EQ(back.flags, 0x1234);
    EXPECT_EQ(back.device, 7U);
    EXPECT_EQ(back.body_bytes, 1000U);
    EXPECT_EQ(back.data_bytes, 100'000U);
    EXPECT_EQ(back.request, 1ULL << 40);
    EXPECT_EQ(back.received, 3U);
    EXPECT_EQ(back.consumed, 1ULL << 50);
}

TEST(FrameTest, any_flipped_bit_is_found) {
    const EncodedHeader good = encode(some_header());
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        EncodedHeader bad = good;
        bad[bit / 8] ^= std::byte{1} << (bit % 8);
        EXPECT_THROW(decode(bad, limits_of_session), TransportError) << "bit " << bit;
    }
}

TEST(FrameTest, a_frame_that_is_too_long_is_refused_before_it_is_read) {
    EXPECT_EQ(message_of<TransportError>([] { decode(encode(some_header()), limits_before_welcome); }),
              "a frame announces 1000 and 100000 bytes: allowed are 4096 and 0");
    FrameHeader longer = some_header();
    longer.data_bytes = ~std::uint64_t{0};
    EXPECT_THROW(decode(encode(longer), limits_of_session), TransportError);
}

}  // namespace trellis::frame_test
