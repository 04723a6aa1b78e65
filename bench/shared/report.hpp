// Output of the benchmarks: Markdown, to keep under bench/results.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "trellis/base/isa.hpp"

namespace bench {

[[gnu::format(printf, 1, 2)]] inline std::string text(const char* format, ...) {
    char buffer[200];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

// Rows are printed as they come, so that a long benchmark can be watched. Columns are at least as wide as their titles.
class Table {
  public:
    explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {
        std::printf("\n");
        row(titles_);
        for (std::size_t k = 0; k < titles_.size(); ++k)
            std::printf(k == 0 ? "|:%s" : "|%s:", std::string(width(k) + 1, '-').c_str());
        std::printf("|\n");
    }

    void row(const std::vector<std::string>& values) const {
        for (std::size_t k = 0; k < values.size(); ++k)
            std::printf(k == 0 ? "| %-*s " : "| %*s ", static_cast<int>(width(k)), values[k].c_str());
        std::printf("|\n");
        std::fflush(stdout);
    }

  private:
    std::size_t width(std::size_t column) const {
        return std::max<std::size_t>(titles_[column].size(), column == 0 ? 26 : 6);
    }

    std::vector<std::string> titles_;
};

// The processor's name in /proc/cpuinfo.
inline std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

// The commit of the sources, if they are still in their repository.
inline std::string commit() {
    std::string words;
    if (std::FILE* pipe =
            ::popen("git -C '" BENCH_SOURCES "' describe --always --dirty --abbrev=10 2>/dev/null", "r")) {
        for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) words += static_cast<char>(c);
        ::pclose(pipe);
    }
    return words.empty() ? "unknown" : words;
}

inline void print_header(const std::string& title, const std::string& note) {
    std::printf("## %s\n\n%s\n\n", title.c_str(), note.c_str());
    std::printf("%s, %u cores. GCC or compatible %s. SIMD %s. Commit %s.\n", processor().c_str(),
                std::thread::hardware_concurrency(), __VERSION__, trellis::isa_name(trellis::chosen_isa()),
                commit().c_str());
}

}  // namespace bench
