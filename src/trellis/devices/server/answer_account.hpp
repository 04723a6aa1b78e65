// Answers that clients have requested and not acknowledged: their bytes, of each client and of all.
#pragma once

#include <cstdint>
#include <memory>

namespace trellis {

// The answers of all clients.
class UnreadAnswers {
  public:
    std::uint64_t bytes = 0;
    std::uint64_t clients = 0;

    // The limit for all clients together, if `left` bytes are left to lend: unread answers then stay within what a
    // server lends, but for a few megabytes.
    static std::uint64_t limit(std::uint64_t left);
};

// The answers of one client.
class AnswerAccount {
  public:
    explicit AnswerAccount(std::shared_ptr<UnreadAnswers> all);
    ~AnswerAccount();
    AnswerAccount(const AnswerAccount&) = delete;
    AnswerAccount& operator=(const AnswerAccount&) = delete;

    // False if further calls of the client wait until it has read answers: beyond 64 MiB, or beyond its share if those
    // of all clients reach half of their limit. left: bytes left to lend.
    bool has_room(std::uint64_t left) const;
    void add(std::uint64_t more);
    void remove(std::uint64_t read);

  private:
    const std::shared_ptr<UnreadAnswers> all_;
    std::uint64_t bytes_ = 0;
};

// Counts an answer with `bytes` bytes of data until the last owner of the result is destroyed; it also owns `held`.
std::shared_ptr<const void> counted(const std::shared_ptr<AnswerAccount>& account, std::uint64_t bytes,
                                    std::shared_ptr<const void> held = nullptr);

}  // namespace trellis
