#include "trellis/devices/server/answer_account.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

namespace {

constexpr std::uint64_t most_of_one = 64 << 20;
constexpr std::uint64_t least_of_all = 8 << 20, most_of_all = 256 << 20;
constexpr std::uint64_t bytes_of_answer = 256;  // beside its data

}  // namespace

std::uint64_t UnreadAnswers::limit(std::uint64_t left) { return std::clamp(left, least_of_all, most_of_all); }

AnswerAccount::AnswerAccount(std::shared_ptr<UnreadAnswers> all) : all_(std::move(all)) { ++all_->clients; }

AnswerAccount::~AnswerAccount() { --all_->clients; }

bool AnswerAccount::has_room(std::uint64_t left) const {
    const std::uint64_t half = UnreadAnswers::limit(left) / 2;
    return bytes_ <= most_of_one && (all_->bytes <= half || bytes_ <= half / all_->clients);
}

void AnswerAccount::add(std::uint64_t more) {
    bytes_ += more;
    all_->bytes += more;
}

void AnswerAccount::remove(std::uint64_t read) {
    bytes_ -= read;
    all_->bytes -= read;
}

std::shared_ptr<const void> counted(const std::shared_ptr<AnswerAccount>& account, std::uint64_t bytes,
                                    std::shared_ptr<const void> held) {
    bytes += bytes_of_answer;
    account->add(bytes);
    const void* what = held.get();
    return {what, [held = std::move(held), account, bytes](const void*) { account->remove(bytes); }};
}

}  // namespace trellis
