// Arguments of the C calls that cannot be used: a code and a sentence, and nothing is thrown or printed.
#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <thread>

#include "c/handles.hpp"
#include "c/kernels.h"
#include "trellis/c/c_call.hpp"

namespace trellis::c_tests {

namespace {

double eps2 = 0.01;

class InputInC : public testing::Test {
  protected:
    std::string of_tree(const char* i, const char* j, const char* results, double theta = 0.5, int group_size = 0,
                        trellis_kernel* kernel = gravity_kernel) {
        return sentence_of(
            trellis_tree_force(particles_.get(), i, j, results, kernel, &eps2, theta, group_size, 0, &force_));
    }
    std::string of_search(const char* i, const char* j, const char* radius, int search) {
        return sentence_of(
            trellis_search_force(particles_.get(), i, j, "potential", gather_kernel, nullptr, radius, search, &force_));
    }
    std::string of_column(const char* name, int components) {
        return sentence_of(trellis_column(particles_.get(), name, components, &values_));
    }

    Handle<trellis_particles> particles_ = particles_of(models::plummer(10, 1));
    trellis_force* force_ = nullptr;
    double* values_ = nullptr;
};

constexpr const char* with_mass = "position mass";

}  // namespace

TEST_F(InputInC, OfParticles) {
    trellis_particles* particles = nullptr;
    EXPECT_EQ(sentence_of(trellis_particles_new(-1, &particles)), "count is -1: allowed is 0 to 4294967294");
    EXPECT_EQ(sentence_of(trellis_particles_new(1, nullptr)), "particles is a null pointer");
    EXPECT_EQ(of_column("mass", 3), "components is 3, but column 'mass' has 1");
    EXPECT_EQ(of_column("colour", 2), "components is 2: allowed are 1 and 3");
    EXPECT_EQ(of_column("two words", 1), "name is 'two words': allowed are names without spaces");
    EXPECT_EQ(of_column("two\twords", 1), "name is 'two\twords': allowed are names without spaces");
    EXPECT_EQ(of_column("id", 1), "column 'id' has integers, and no doubles");
    EXPECT_EQ(of_column(nullptr, 1), "name is a null pointer");
    const double low[] = {0, 0, 0}, high[] = {1, 1, -1};
    EXPECT_NE(sentence_of(trellis_set_box(particles_.get(), low, high)), "");
    EXPECT_EQ(sentence_of(trellis_set_box(nullptr, low, high)), "particles is a null pointer");
    EXPECT_EQ(sentence_of(trellis_set_threads(0)), "count is 0: allowed is 1 or more");
}

TEST_F(InputInC, OfForces) {
    EXPECT_EQ(of_tree("position", with_mass, "potential", 3),
              "theta is 3: allowed with method tree is above 0 and below 2");
    EXPECT_EQ(of_tree("position", with_mass, "potential", 0.5, 0, nullptr), "kernel is a null pointer");
    EXPECT_EQ(of_tree("position", with_mass, "potential", 0.5, -1), "group_size is -1: allowed is 0 or more");
    EXPECT_EQ(of_tree("mass", with_mass, "potential"), "i_fields is 'mass', but must begin with position");
    EXPECT_EQ(of_tree("position", "position", "potential"),
              "j_fields names position alone: the field behind it weights the centres of cells");
    EXPECT_NE(of_tree("position", "position colour", "potential").find("colour"), std::string::npos);
    EXPECT_EQ(of_tree("position id", with_mass, "potential"),
              "i_fields names 'id', which has integers: allowed are doubles");
    EXPECT_EQ(of_tree("position", "position mass mass", "potential"), "j_fields names 'mass' twice: allowed is once");
    EXPECT_EQ(of_tree("position", with_mass, ""), "results names no column: allowed is one or more");
    EXPECT_EQ(of_tree("position", with_mass, "mass"),
              "results names 'mass', which the kernel reads: allowed are other columns");
    EXPECT_EQ(of_tree("position", with_mass, "velocity"),
              "results names 'velocity', which steps need: allowed are other columns");
    EXPECT_EQ(of_tree(nullptr, with_mass, "potential"), "i_fields is a null pointer");
    EXPECT_EQ(sentence_of(trellis_cutoff_force(particles_.get(), "position", with_mass, "potential", gravity_kernel,
                                               &eps2, 0, &force_)),
              "cutoff is 0: allowed is above 0");
    EXPECT_NE(sentence_of(trellis_gravity(-1, 1e-3, nullptr, &force_)), "");
    EXPECT_NE(sentence_of(trellis_gravity(0.1, 2, nullptr, &force_)), "");
    EXPECT_EQ(sentence_of(trellis_gravity(0.1, 1e-3, nullptr, nullptr)), "force is a null pointer");
    EXPECT_NE(sentence_of(trellis_lennard_jones(1, -1, 2.5, nullptr, &force_)), "");
    EXPECT_EQ(sentence_of(trellis_interaction_force(nullptr, "", nullptr, nullptr, &force_)),
              "interaction is a null pointer");
    EXPECT_EQ(force_, nullptr);
}

TEST_F(InputInC, OfExtremes) {
    column(particles_, "largest", 1);
    EXPECT_EQ(of_tree("position", with_mass, "potential max:largest"),
              "results names a maximum or minimum: allowed within a cutoff or a search radius");
    column(particles_, "length", 1);
    const auto of_results = [&](const char* results) {
        return sentence_of(trellis_search_force(particles_.get(), "position length", with_mass, results, gather_kernel,
                                                nullptr, "length", TRELLIS_GATHER, &force_));
    };
    EXPECT_EQ(of_results("max:largest potential"),
              "results names a sum behind a max: or min:, or a max: behind a min:: allowed are sums, then max:, then"
              " min:");
    EXPECT_EQ(of_results("max:largest min:largest"), "results names 'largest' twice: allowed is once");
    EXPECT_NE(of_results("max:"), "");
}

TEST_F(InputInC, OfMemory) {
    EXPECT_EQ(carry_out_c([] { throw std::bad_alloc(); }), TRELLIS_RUN_ERROR);
    EXPECT_EQ(last_sentence(), "there is not enough memory for this call");
}

TEST_F(InputInC, OfDevices) {
    trellis_devices* devices = nullptr;
    EXPECT_NE(sentence_of(trellis_devices_open("gpu:0", &devices)).find("gpu:0"), std::string::npos);
    EXPECT_NE(sentence_of(trellis_devices_open("", &devices)), "");
    EXPECT_NE(sentence_of(trellis_devices_open("cpu host", &devices)), "");
    EXPECT_EQ(sentence_of(trellis_devices_open(nullptr, &devices)), "names is a null pointer");
    EXPECT_EQ(sentence_of(trellis_devices_open("cpu", nullptr)), "devices is a null pointer");
    EXPECT_EQ(devices, nullptr);
    EXPECT_EQ(sentence_of(trellis_set_spares(nullptr, "cpu")), "simulation is a null pointer");
}

TEST_F(InputInC, OfSearches) {
    column(particles_, "length", 1);
    EXPECT_EQ(of_search("position length", with_mass, "length", 7),
              "search is 7: allowed are TRELLIS_GATHER, TRELLIS_SCATTER and TRELLIS_SYMMETRIC");
    EXPECT_EQ(of_search("position", with_mass, "length", TRELLIS_GATHER),
              "the radius is 'length', which i_fields must name for this search");
    EXPECT_EQ(of_search("position length", with_mass, "length", TRELLIS_SYMMETRIC),
              "the radius is 'length', which j_fields must name for this search");
    EXPECT_EQ(of_search("position", with_mass, "position", TRELLIS_GATHER),
              "the radius is 'position', but must have one component");
}

TEST_F(InputInC, OfSimulations) {
    trellis_simulation* simulation = nullptr;
    EXPECT_NE(sentence_of(trellis_simulation_new(particles_.get(), -1, &simulation)), "");
    EXPECT_EQ(simulation, nullptr);
    EXPECT_EQ(sentence_of(trellis_simulation_new(nullptr, 0.1, &simulation)), "particles is a null pointer");
    const auto one =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles_.get(), 0.1, to); });
    EXPECT_EQ(sentence_of(trellis_add_force(one.get(), nullptr)), "force is a null pointer");
    EXPECT_EQ(sentence_of(trellis_step(one.get(), -3)), "steps is -3: allowed is 0 or more");
    EXPECT_EQ(sentence_of(trellis_run_until(one.get(), std::numeric_limits<double>::quiet_NaN())),
              "time is nan: allowed is finite");
    EXPECT_EQ(sentence_of(trellis_time(one.get(), nullptr)), "time is a null pointer");
}

TEST_F(InputInC, OfSteps) {
    const auto limit = [](void*, double, std::size_t, std::size_t, const double*, double* steps) { *steps = -1; };
    const auto of_limit = [&](const char* fields, trellis_limit* function) {
        return sentence_of(trellis_step_limit(particles_.get(), fields, function, nullptr, &force_));
    };
    EXPECT_EQ(of_limit("mass", nullptr), "limit is a null pointer");
    EXPECT_NE(of_limit("colour", limit).find("colour"), std::string::npos);
    EXPECT_EQ(of_limit("mass mass", limit), "fields names 'mass' twice: allowed is once");
    EXPECT_EQ(of_limit("id", limit), "fields names 'id', which has integers: allowed are doubles");
    EXPECT_EQ(sentence_of(trellis_encounter_limit(0.1, 0, &force_)), "eta is 0: allowed is above 0");
    EXPECT_NE(sentence_of(trellis_encounter_limit(-0.1, 0.025, &force_)), "");
    EXPECT_NE(sentence_of(trellis_tidal_limit(-0.1, nullptr, &force_)), "");
    EXPECT_NE(sentence_of(trellis_gas(1, 0, 0, 0, nullptr, &force_)).find("gamma"), std::string::npos);
    EXPECT_NE(sentence_of(trellis_isothermal_gas(0, 0, 0, nullptr, &force_)).find("sound_speed"), std::string::npos);
    EXPECT_NE(sentence_of(trellis_gas(1.4, 0, -1, 0, nullptr, &force_)).find("courant"), std::string::npos);
    EXPECT_EQ(force_, nullptr);

    const auto negative =
        made<trellis_force>([&](auto* to) { return trellis_step_limit(particles_.get(), "mass", limit, nullptr, to); });
    const auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles_.get(), 0.1, to); });
    EXPECT_EQ(sentence_of(trellis_set_individual_steps(simulation.get(), -1, 2)), "eta is -1: allowed is above 0");
    EXPECT_EQ(sentence_of(trellis_set_individual_steps(simulation.get(), 1, 3)), "order is 3: allowed are 2 and 4");
    EXPECT_EQ(sentence_of(trellis_set_individual_steps(nullptr, 1, 2)), "simulation is a null pointer");
    EXPECT_EQ(trellis_add_force(simulation.get(), negative.get()), 0);
    EXPECT_EQ(trellis_set_individual_steps(simulation.get(), 0.025, 2), 0) << trellis_error();
    EXPECT_NE(
        sentence_of(trellis_step(simulation.get(), 1)).find("limit has returned the step -1 for the particle of id"),
        std::string::npos);
    const auto chosen =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles_.get(), 0, to); });
    EXPECT_NE(sentence_of(trellis_step(chosen.get(), 1)), "");
}

TEST_F(InputInC, OfValuesOfAParticle) {
    const auto force = made<trellis_force>([](auto* to) { return trellis_gravity(0.1, 1e-3, nullptr, to); });
    const auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles_.get(), 0.1, to); });
    EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0);
    column(particles_, "position", 3)[4] = std::numeric_limits<double>::infinity();
    EXPECT_NE(sentence_of(trellis_step(simulation.get(), 1)).find("position"), std::string::npos);
}

TEST_F(InputInC, IsReportedToTheThreadThatCalled) {
    EXPECT_NE(of_column("colour", 2), "");
    const std::string ours = trellis_error();
    std::thread([] {
        EXPECT_STREQ(trellis_error(), "");
        EXPECT_EQ(trellis_set_threads(-1), TRELLIS_INPUT_ERROR);
    }).join();
    EXPECT_EQ(trellis_error(), ours);
}

}  // namespace trellis::c_tests
