// The server of devices, keys, devices that servers lend, and the forwarder between sites.
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/remote/client/list_devices.hpp"
#include "trellis/devices/server/server.hpp"
#include "trellis/serve/load_kernels.hpp"
#include "trellis/serve/served_kernels.hpp"
#include "trellis/transport/connections/forwarder.hpp"
#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"

namespace nb = nanobind;

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::uint16_t checked_port(int port) {
    if (port < 0 || port > 65535)
        throw trellis::InputError("port is " + std::to_string(port) + ": allowed is 0 (any) to 65535");
    return static_cast<std::uint16_t>(port);
}

// A log whose errors, such as a closed standard error, do not end the program.
auto quietly(const std::function<void(std::string, Facts)>& log, const char* whose) {
    return [log, whose](const std::string& event, const Facts& facts) {
        const LockTaken python;
        try {
            log(event, facts);
        } catch (nb::python_error& error) {
            error.discard_as_unraisable(whose);
        }
    };
}

// While this process is forked, as Python wants it.
struct Forking {
    Forking() { PyOS_BeforeFork(); }
    ~Forking() { PyOS_AfterFork_Parent(); }
    Forking(const Forking&) = delete;
    Forking& operator=(const Forking&) = delete;
};

// Called in a process that was forked: any thread of it may take Python's lock from now on, to compile graphs.
void begin_forked() {
    PyOS_AfterFork_Child();
    PyEval_SaveThread();
}

void serve(std::vector<std::string> devices, std::optional<std::uint64_t> memory,
           const std::vector<std::string>& kernels, const std::optional<std::pair<std::string, int>>& tls,
           std::optional<int> plain_port, const std::optional<std::string>& unix_socket, bool stdio,
           const std::function<void(std::map<std::string, int>)>& started,
           const std::function<void(std::string, Facts)>& log) {
    trellis::provide_kernels();
    for (const std::string& library : kernels) trellis::load_kernels(library);
    trellis::ServerSettings settings;
    settings.devices = std::move(devices);
    settings.memory = memory.value_or(0);
    settings.isolated = !stdio;  // there, the only client is this user
    settings.begun = begin_forked;
    std::optional<trellis::Server> made;
    {
        const Forking python;
        made.emplace(settings, quietly(log, "the log of trellis serve"));
    }
    trellis::Server& server = *made;
    std::map<std::string, int> ports;
    if (tls) ports["tls"] = server.listen_tls(tls->first, checked_port(tls->second));
    if (plain_port) ports["plain"] = server.listen_plain(checked_port(*plain_port));
    if (unix_socket) server.listen_unix(*unix_socket);
    if (stdio) server.serve_pipes(0, 1);
    started(ports);
    const LockReleased others;
    server.run();
}

void forward(const std::string& host, int port, const std::string& to, std::size_t connections,
             const std::function<void(int)>& started, const std::function<void(std::string, Facts)>& log) {
    trellis::Forwarder forwarder({host, checked_port(port), to, connections},
                                 quietly(log, "the log of trellis forward"));
    started(forwarder.port());
    const LockReleased others;
    forwarder.run();
}

trellis::KnownKeys known(const std::string& list) {
    const bool trusted = list == "trusted";
    if (!trusted && list != "allowed")
        throw trellis::InputError("there is no list '" + list + "' of keys: allowed are trusted and allowed");
    return {trellis::keys_folder(), trusted ? trellis::KnownKeys::List::trusted : trellis::KnownKeys::List::allowed};
}

Facts keys_in(const std::string& list) {
    Facts keys;
    for (const trellis::KnownKey& key : known(list).read()) keys.emplace_back(key.name, key.fingerprint);
    return keys;
}

std::vector<trellis::LentDevice> devices_of(const std::string& address) {
    const LockReleased others;
    return trellis::devices_of(address);
}

}  // namespace

void bind_network(nb::module_& core) {
    nb::class_<trellis::LentDevice>(core, "LentDevice", "A device that a server lends.")
        .def_ro("name", &trellis::LentDevice::name, "As on its machine: cpu, cuda:0, ...")
        .def_ro("description", &trellis::LentDevice::description, "For people.")
        .def_ro("memory", &trellis::LentDevice::memory, "Bytes of its memory that are lent.")
        .def_ro("left", &trellis::LentDevice::left, "Bytes of those that no client has.")
        .def_ro("users", &trellis::LentDevice::users, "The users that have opened it, separated by commas.");
    core.def("serve", &serve, nb::kw_only(), nb::arg("devices"), nb::arg("memory").none(), nb::arg("kernels"),
             nb::arg("tls").none(), nb::arg("plain_port").none(), nb::arg("unix_socket").none(), nb::arg("stdio"),
             nb::arg("started"), nb::arg("log"),
             "Lend devices until a signal, or until the one client of stdio ends its session.");
    core.def("forward", &forward, nb::kw_only(), nb::arg("host"), nb::arg("port"), nb::arg("to"),
             nb::arg("connections"), nb::arg("started"), nb::arg("log"),
             "Pass connections on to HOST:PORT until a signal; started receives the port.");
    core.def(
        "fingerprint", [] { return trellis::identity_in(trellis::keys_folder()).fingerprint; },
        "The fingerprint of this user's key on this machine, which is made on first use.");
    core.def("known_keys", &keys_in, nb::arg("list"), "Names and fingerprints of the list, 'trusted' or 'allowed'.");
    core.def(
        "add_key",
        [](const std::string& list, const std::string& name, const std::string& fingerprint) {
            known(list).add({name, fingerprint});
        },
        nb::arg("list"), nb::arg("name"), nb::arg("fingerprint"), "Add a key to a list.");
    core.def(
        "remove_key", [](const std::string& list, const std::string& which) { return known(list).remove(which); },
        nb::arg("list"), nb::arg("which"), "Remove the keys of a name or fingerprint; returns their number.");
    core.def("devices_of", &devices_of, nb::arg("address"),
             "The devices that a server lends; address: of the server, as trellis://HOST.");
}
