#include "trellis/lists/tuples/imported_members.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

using Numbers = std::vector<std::uint32_t>;

Message counted(int rank, std::span<const std::uint32_t> numbers) {
    ByteWriter writer;
    writer.put_counted(numbers);
    return {rank, writer.take()};
}

void check_same(Comm& comm, const TupleList& list) {
    const auto digests = all_gather(comm, list.digest());
    const auto other = std::ranges::find_if(digests, [&](std::uint64_t each) { return each != digests.front(); });
    if (other != digests.end())
        throw InputError(std::string(list.name()) + " differ between rank 0 and rank " +
                         std::to_string(other - digests.begin()) + ": allowed is the same list on every rank");
}

// The ranks that have particles, by the numbers of which this rank is the home.
class Home {
  public:
    Home(int rank, int size, std::size_t numbers)
        : rank_(static_cast<std::uint32_t>(rank)), size_(static_cast<std::uint32_t>(size)) {
        if (numbers > rank_) holders_.resize((numbers - rank_ + size_ - 1) / size_, ImportedMembers::nowhere);
    }

    void note(std::span<const std::uint32_t> numbers, int holder) {
        for (const std::uint32_t number : numbers) holders_[number / size_] = static_cast<std::uint32_t>(holder);
    }
    Numbers holders_of(std::span<const std::uint32_t> numbers) const {
        Numbers holders;
        for (const std::uint32_t number : numbers) holders.push_back(holders_[number / size_]);
        return holders;
    }
    std::uint32_t lowest_of_nowhere() const {
        const auto found = std::ranges::find(holders_, ImportedMembers::nowhere);
        return found == holders_.end() ? ImportedMembers::nowhere
                                       : static_cast<std::uint32_t>(found - holders_.begin()) * size_ + rank_;
    }

  private:
    std::uint32_t rank_, size_;
    Numbers holders_;
};

}  // namespace

std::uint32_t ImportedMembers::find(Comm& comm, const TupleList& list, std::span<const std::uint32_t> rows,
                                    std::span<const std::uint32_t> wanted) {
    const TrafficScope part(comm, TrafficClass::trees);
    check_same(comm, list);
    const auto size = static_cast<std::size_t>(comm.size());
    std::vector<Numbers> own(size), asked(size), from(size);  // by homes, homes, and holders
    for (std::uint32_t number = 0; number < rows.size(); ++number)
        if (rows[number] != nowhere) own[number % size].push_back(number);
    for (const std::uint32_t number : wanted) asked[number % size].push_back(number);

    std::vector<Message> questions, answers, requests;
    for (std::size_t home = 0; home < size; ++home) {
        if (own[home].empty() && asked[home].empty()) continue;
        ByteWriter question;
        question.put_counted(std::span<const std::uint32_t>(own[home]));
        question.put_counted(std::span<const std::uint32_t>(asked[home]));
        questions.push_back({static_cast<int>(home), question.take()});
    }
    Home home(comm.rank(), comm.size(), rows.size());
    std::vector<std::pair<int, Numbers>> askers;
    for (const Message& question : comm.begin_exchange(std::move(questions))->finish()) {
        ByteReader reader(question.bytes);
        home.note(reader.get_counted<std::uint32_t>(), question.rank);
        askers.emplace_back(question.rank, reader.get_counted<std::uint32_t>());
    }
    for (const auto& [asker, numbers] : askers)
        if (!numbers.empty()) answers.push_back(counted(asker, home.holders_of(numbers)));
    for (const Message& answer : comm.begin_exchange(std::move(answers))->finish()) {
        const Numbers holders = ByteReader(answer.bytes).get_counted<std::uint32_t>();
        const Numbers& numbers = asked[static_cast<std::size_t>(answer.rank)];
        for (std::size_t k = 0; k < holders.size(); ++k)
            if (holders[k] != nowhere) from[holders[k]].push_back(numbers[k]);
    }
    numbers_.clear();
    for (std::size_t holder = 0; holder < size; ++holder) {
        if (from[holder].empty()) continue;
        requests.push_back(counted(static_cast<int>(holder), from[holder]));
        numbers_.insert(numbers_.end(), from[holder].begin(), from[holder].end());
    }
    recipients_.clear();
    for (const Message& request : comm.begin_exchange(std::move(requests))->finish()) {
        Recipient recipient{request.rank, ByteReader(request.bytes).get_counted<std::uint32_t>()};
        for (std::uint32_t& number : recipient.rows) number = rows[number];
        recipients_.push_back(std::move(recipient));
    }
    return all_reduce(comm, home.lowest_of_nowhere(), [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
}

std::unique_ptr<Exchange> ImportedMembers::begin(Comm& comm, const ParticleSet& particles,
                                                 std::span<const std::string> columns) const {
    const TrafficScope part(comm, TrafficClass::trees);
    const auto positions = particles[fields::position];
    std::vector<Message> messages;
    messages.reserve(recipients_.size());
    for (const Recipient& recipient : recipients_) {
        ByteWriter writer;
        for (const std::uint32_t row : recipient.rows) {
            writer.put(positions[row]);
            for (const std::string& name : columns) writer.put(particles.column(name).values()[row]);
        }
        messages.push_back({recipient.rank, writer.take()});
    }
    return comm.begin_exchange(std::move(messages));
}

std::vector<double> ImportedMembers::finish(Exchange& exchange) {
    std::vector<double> values;
    for (const Message& message : exchange.finish()) {
        const std::size_t before = values.size();
        values.resize(before + message.bytes.size() / sizeof(double));
        ByteReader(message.bytes).get(std::span(values).subspan(before));
    }
    return values;
}

}  // namespace trellis
