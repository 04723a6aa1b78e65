#include "trellis/ranks/comm/comm.hpp"

#include "trellis/base/error.hpp"

namespace trellis {

std::shared_ptr<Comm> Comm::split(int colour) {
    if (colour < 0) throw InputError("the colour of a rank is " + std::to_string(colour) + ": allowed is 0 or more");
    return part(colour);
}

}  // namespace trellis
