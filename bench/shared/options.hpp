// The command line of a benchmark: --name value[,value...], each option with a default.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"

namespace bench {

struct Option {
    std::string name;
    std::string value;  // the default
    std::string meaning;
};

class Options {
  public:
    // Prints the options and ends the program if one of the arguments is --help. Throws trellis::InputError for an
    // unknown one.
    Options(int argc, char** argv, std::vector<Option> options) : options_(std::move(options)) {
        for (int k = 1; k < argc; k += 2) {
            const std::string argument = argv[k];
            if (argument == "--help") help();
            if (argument.rfind("--", 0) != 0 || k + 1 == argc)
                throw trellis::InputError("the arguments are pairs of --name and value, but '" + argument +
                                          "' stands alone");
            find(argument.substr(2)).value = argv[k + 1];
        }
    }

    std::vector<std::string> texts(const std::string& name) const {
        std::vector<std::string> all;
        std::istringstream stream(const_cast<Options*>(this)->find(name).value);
        for (std::string text; std::getline(stream, text, ',');) all.push_back(text);
        return all;
    }

    std::vector<double> numbers(const std::string& name) const {
        std::vector<double> all;
        for (const std::string& text : texts(name)) {
            char* end = nullptr;
            all.push_back(std::strtod(text.c_str(), &end));
            if (text.empty() || *end != '\0')
                throw trellis::InputError("--" + name + " is '" + text + "': allowed are numbers");
        }
        return all;
    }

    template <class Integer>
    std::vector<Integer> integers(const std::string& name) const {
        std::vector<Integer> all;
        for (const double number : numbers(name)) {
            if (number < 0 || number != static_cast<double>(static_cast<Integer>(number)))
                throw trellis::InputError("--" + name + " is " + trellis::to_text(number) +
                                          ": allowed are whole numbers");
            all.push_back(static_cast<Integer>(number));
        }
        return all;
    }

    std::size_t integer(const std::string& name) const { return integers<std::size_t>(name).at(0); }

  private:
    Option& find(const std::string& name) {
        for (Option& option : options_)
            if (option.name == name) return option;
        std::string names;
        for (const Option& option : options_) names += " --" + option.name;
        throw trellis::InputError("there is no option --" + name + ": allowed are" + names);
    }

    [[noreturn]] void help() const {
        for (const Option& option : options_)
            std::printf("--%-10s %s (default %s)\n", option.name.c_str(), option.meaning.c_str(), option.value.c_str());
        std::exit(0);
    }

    std::vector<Option> options_;
};

// A benchmark's main: runs it with its options; an error is one sentence.
template <class Body>
int run(int argc, char** argv, std::vector<Option> options, Body&& body) {
    try {
        body(Options(argc, argv, std::move(options)));
        return 0;
    } catch (const trellis::InputError& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 1;
    }
}

}  // namespace bench
