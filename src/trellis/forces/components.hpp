// The components of an interaction's fields by number: those of Source, then those of Target that Source lacks.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "trellis/base/isa.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Fields are distinguished by name. Component numbers count through Source, then through the fields of Target that
// Source lacks.
template <class Source, class Target>
struct UnionOfFields;

template <class... S, class... T>
struct UnionOfFields<Fields<S...>, Fields<T...>> {
    template <class F>
    static constexpr bool in_source() {
        return (std::is_same_v<F, S> || ...);
    }

    static constexpr std::size_t component_count() {
        return Fields<S...>::components + (std::size_t{0} + ... + (in_source<T>() ? 0 : T::components));
    }

    static std::vector<FieldInfo> infos() {
        std::vector<FieldInfo> all{field_info<S>()...};
        ((in_source<T>() ? void() : all.push_back(field_info<T>())), ...);
        return all;
    }

    // The first component of a field of Source.
    template <class F>
    static constexpr std::size_t component_in_source() {
        std::size_t begin = 0;
        bool found = false;
        ((found = found || std::is_same_v<F, S>, begin += found ? 0 : S::components), ...);
        return begin;
    }

    static constexpr auto target_components() {
        std::array<std::size_t, Fields<T...>::components> components{};
        std::size_t next = 0, beyond = Fields<S...>::components;
        const auto put = [&]<class F>(F) {
            std::size_t& begin = beyond;
            if constexpr (in_source<F>()) {
                for (std::size_t c = 0; c < F::components; ++c) components[next++] = component_in_source<F>() + c;
            } else {
                for (std::size_t c = 0; c < F::components; ++c) components[next++] = begin++;
            }
        };
        (put(T{}), ...);
        return components;
    }
};

template <class I>
struct TargetComponents {
    static constexpr auto value = UnionOfFields<typename I::Source, typename I::Target>::target_components();
};

// The numbers of components that kernels work with. An interaction that is made known at run time has a specialisation
// whose functions are not constants.
template <class I>
struct ComponentNumbers {
    explicit ComponentNumbers(const I&) {}
    static constexpr std::size_t most_source = I::Source::components;
    static constexpr std::size_t source() { return I::Source::components; }
    static constexpr std::size_t target() { return I::Target::components; }
    // Component c of Target among the components of all fields.
    static constexpr std::size_t of_target(std::size_t c) { return TargetComponents<I>::value[c]; }
};

// The component of Source, or of Target, that is an interaction's softening.
template <class List, Softened I>
inline constexpr std::size_t softening_in =
    UnionOfFields<List, Fields<>>::template component_in_source<typename I::Softening>();

template <class List>
struct InfosOf;
template <class... F>
struct InfosOf<Fields<F...>> {
    static std::vector<FieldInfo> all() { return {field_info<F>()...}; }
};

TRELLIS_ISA_END
}  // namespace trellis
