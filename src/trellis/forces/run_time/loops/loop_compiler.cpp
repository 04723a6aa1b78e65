#include "trellis/forces/run_time/loops/loop_compiler.hpp"

namespace trellis {

namespace {

struct LoopCompiler {
    std::mutex mutex;
    CompileLoops compile;
};

LoopCompiler& loop_compiler() {
    static auto& one = *new LoopCompiler;  // the function may be Python's, which has ended when the program ends
    return one;
}

}  // namespace

void provide_loop_compiler(CompileLoops compile) {
    const std::scoped_lock lock(loop_compiler().mutex);
    loop_compiler().compile.swap(compile);
}

LoopAddresses LoopsOfGraph::addresses() const {
    std::call_once(once_, [this] {
        CompileLoops compile;
        {
            const std::scoped_lock lock(loop_compiler().mutex);
            compile = loop_compiler().compile;
        }
        if (compile) made_ = compile(graph_, value_bytes_);
    });
    return made_;
}

}  // namespace trellis
