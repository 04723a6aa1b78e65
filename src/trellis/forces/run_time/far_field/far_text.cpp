#include "trellis/forces/run_time/far_field/far_text.hpp"

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/far_field/expansion_text.hpp"
#include "trellis/forces/run_time/far_field/far_frames.hpp"
#include "trellis/forces/run_time/graphs/graph_text.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"

namespace trellis {

namespace {

class FarText {
  public:
    explicit FarText(const FarGraph& far)
        : far_(far), stages_(far.graph, outputs_of(far)), text_(far.graph, far.single(), stages_.once()) {}

    std::string kernel() const {
        const FarHead& head = far_.head;
        const bool makes_locals = head.kernel == FarKernel::locals;
        const ExpansionSizes expansion = expansion_sizes(head.order, far_.single());
        const std::string functions = types(makes_locals) + text_.once() + radial() +
                                      (makes_locals ? locals_functions(head.order, far_.single())
                                                    : response() + far_field_functions(head.order, far_.single()));
        return replaced(functions + (makes_locals ? locals_text : far_field_text),
                        {{"@TERMS@", std::to_string(expansion.terms)},
                         {"@STRIDE@", std::to_string(expansion.stride)},
                         {"@CENTRE@", std::to_string(expansion.centre)},
                         {"@REST@", std::to_string(expansion.centre + 3)},
                         {"@ROW@", std::to_string(row_stride_of(far_.graph.components))},
                         {"@RESULTS@", std::to_string(head.results)},
                         {"@POTENTIAL@", std::to_string(head.of_potential)},
                         {"@ACCELERATION@", std::to_string(head.first_of_acceleration)},
                         {"@MOST_AROUND@", std::to_string(most_around)},
                         {"@NO_TARGET@", std::to_string(no_target)}});
    }

  private:
    static GraphNodes outputs_of(const FarGraph& far) {
        GraphNodes outputs{far.response()};
        for (std::size_t n = 0; n < far.derivatives(); ++n) outputs.push_back(far.derivative(n));
        return outputs;
    }

    std::string types(bool makes_locals) const {
        const std::string head = makes_locals ? "targets, unused[3]" : "groups, largest, targets, trunk_targets";
        return std::string("typedef ") + text_.real() + " real;\n" + text_.struct_of_once() + "typedef struct { u32 " +
               head + "; double parameters[" + std::to_string(far_.graph.parameters) + "]; } Call;\n" + far_types_text;
    }

    // The function that computes radial derivatives.
    std::string radial() const {
        Statements statements = text_.with_once();
        GraphNodes nodes = stages_.that_read(from_j);
        for (const std::uint32_t k : nodes)
            if (far_.graph.nodes[k].operation == Operation::of_j)
                statements.name(k, far_.graph.nodes[k].number == 0 ? "r2" : "unit2");
        statements.add(nodes, value_in_row);
        for (std::size_t n = 0; n < far_.derivatives(); ++n)
            statements.line("g[" + std::to_string(n) + "] = " + statements[far_.derivative(n)] + ";");
        return "FUNCTION void radial(const Once once, const real r2, const real unit2, real* g)\n{\n" +
               statements.text() + "}\n\n";
    }

    // The function that computes the response of an i-particle.
    std::string response() const {
        Statements statements = text_.with_once();
        statements.add(stages_.that_read(from_i),
                       [](const GraphNode& node) { return "row[" + std::to_string(place_in_row(node.number)) + "]"; });
        statements.line("return " + statements[far_.response()] + ";");
        return "FUNCTION real response_of(const Once once, GLOBAL const real* row)\n{\n" + statements.text() + "}\n\n";
    }

    const FarGraph& far_;
    const Stages stages_;
    const GraphText text_;
};

}  // namespace

std::string far_text(const FarGraph& far) { return FarText(far).kernel(); }

}  // namespace trellis
