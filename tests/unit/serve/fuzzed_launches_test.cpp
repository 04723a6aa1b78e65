// Launches of every kernel that a server offers, with constants of a client's own choice: what goes beyond the memories
// is refused, and what is not refused stays within them. TRELLIS_FUZZED_LAUNCHES: number of launches, instead of 4,000.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/serve/served_kernels.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::fuzzed_launches_test {

struct Known {
    Kernel kernel;
    KernelArguments arguments;
};

// The kernels for the processor. Those whose arguments are not known are not launched by a server.
std::map<std::string, Known> served_kernels() {
    provide_kernels();
    std::map<std::string, Known> all;
    for_each_kernel([&](DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments* arguments) {
        if (kind == DeviceKind::cpu && arguments != nullptr) all[name] = {kernel, *arguments};
    });
    return all;
}

// Memory that ends where the process must not read or write.
class Fenced {
  public:
    static constexpr std::size_t most = 1 << 16;

    Fenced() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        void* all = mmap(nullptr, most + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<std::byte*>(all);
        mprotect(begin_ + most, page_, PROT_NONE);
    }
    ~Fenced() { munmap(begin_, most + page_); }
    Fenced(const Fenced&) = delete;
    Fenced& operator=(const Fenced&) = delete;

    // The last `bytes` bytes, which are zero.
    std::byte* last(std::size_t bytes) {
        std::memset(begin_ + most - bytes, 0, bytes);
        return bytes == 0 ? nullptr : begin_ + most - bytes;
    }

  private:
    const std::size_t page_;
    std::byte* begin_;
};

class Launches : public FuzzedBytes {
  public:
    using FuzzedBytes::FuzzedBytes;

    // Mostly small numbers, sometimes one at an edge, in words of 4 or 8 bytes.
    std::vector<std::byte> constants(std::size_t size) {
        constexpr std::uint64_t edges[] = {0x7fffffff, 0xffffffff, 1ULL << 63, ~std::uint64_t{0}, 1ULL << 61, 4097, 0};
        std::vector<std::byte> all(size);
        const bool any = one_in(3);
        for (std::size_t place = 0; place + 4 <= size;) {
            const std::size_t width = place + 8 <= size && place % 8 == 0 && !one_in(4) ? 8 : 4;
            const std::uint64_t word = any && one_in(6) ? edges[below(std::size(edges))] : below(40);
            std::memcpy(all.data() + place, &word, width);
            place += width;
        }
        return any && one_in(8) ? bytes(size) : all;
    }
    std::uint64_t memory() {
        constexpr std::uint64_t sizes[] = {0, 64, 512, 4096, Fenced::most};
        return sizes[below(std::size(sizes))];
    }
};

int fuzzed_launches() {
    const char* given = std::getenv("TRELLIS_FUZZED_LAUNCHES");
    return given == nullptr ? 4'000 : std::atoi(given);
}

// A client may let its device work for long, but this test is short.
void shorten(const std::string& name, std::vector<std::byte>& constants) {
    if (!name.starts_with("systems ")) return;
    SystemsCall call;
    std::memcpy(&call, constants.data(), sizeof call);
    call.steps %= 16;
    std::memcpy(constants.data(), &call, sizeof call);
}

std::string launched;  // name of the kernel

// Prints the kernel that has left its memories.
void name_and_end(int /*signal*/) {
    static_cast<void>(!write(STDERR_FILENO, launched.data(), launched.size()));
    _exit(3);
}

// Returns the number of launches that were carried out.
int launch(int count) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, name_and_end);
    const std::map<std::string, Known> kernels = served_kernels();
    std::vector<Fenced> fenced(16);
    Launches draw(5);
    int done = 0;
    auto next = kernels.begin();
    for (int k = 0; k < count; ++k, ++next) {
        if (next == kernels.end()) next = kernels.begin();
        const auto& [name, known] = *next;
        auto constants = draw.constants(known.arguments.constants_bytes);
        shorten(name, constants);
        const bool roomy = !draw.one_in(3);
        std::vector<std::uint64_t> sizes;
        std::vector<std::byte*> memory;
        for (std::size_t m = 0; m < known.arguments.memories; ++m) {
            sizes.push_back(roomy ? Fenced::most : draw.memory());
            memory.push_back(fenced[m].last(sizes.back()));
        }
        if (!excess_of(known.arguments, constants, sizes).empty()) continue;
        launched = name;
        known.kernel({constants, memory});
        ++done;
    }
    return done;
}

// Prints the kernels that take a launch of large numbers for memories of a page. Returns their number.
int print_unchecked() {
    constexpr std::uint64_t page = 4096;
    int unchecked = 0;
    for (const auto& [name, known] : served_kernels())
        for (const int fill : {0x7f, 0xff}) {
            const std::vector<std::byte> constants(known.arguments.constants_bytes, static_cast<std::byte>(fill));
            for (const std::uint64_t bytes : {page, std::uint64_t{0}}) {
                const std::vector<std::uint64_t> sizes(known.arguments.memories, bytes);
                if (!excess_of(known.arguments, constants, sizes).empty()) continue;
                std::fprintf(stderr, "%s\n", name.c_str());
                ++unchecked;
            }
        }
    return unchecked;
}

// Tests in a process of their own, which has the kernels of a server alone, and whose end is not that of all tests.
class ServedKernelsDeathTest : public testing::Test {
  protected:
    ServedKernelsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ServedKernelsDeathTest, all_refuse_numbers_beyond_their_memories) {
    EXPECT_EXIT(std::exit(print_unchecked()), testing::ExitedWithCode(0), "");
}

TEST_F(ServedKernelsDeathTest, stay_within_their_memories_whatever_the_constants_are) {
    const int count = fuzzed_launches();
    EXPECT_EXIT(std::exit(launch(count) > count / 5 ? 0 : 2), testing::ExitedWithCode(0), "");
}

}  // namespace trellis::fuzzed_launches_test
