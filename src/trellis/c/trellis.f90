! Trellis for Fortran: compile this file with your program and link with libtrellis_c. trellis.h describes the calls and
! their arguments; names end with c_null_char, and functions return 0, or 1 or 2 and a sentence in
! trellis_sentence(). Devices are c_null_ptr for the threads of this process.
module trellis
   use, intrinsic :: iso_c_binding
   implicit none

   integer(c_int), parameter :: TRELLIS_RUN_ERROR = 1, TRELLIS_INPUT_ERROR = 2
   integer(c_int), parameter :: TRELLIS_GATHER = 0, TRELLIS_SCATTER = 1, TRELLIS_SYMMETRIC = 2

   ! Kernels have these interfaces, with bind(c), and no variables that they keep from call to call: several threads
   ! call them at once. With real(c_double) for the calls that end in _d.
   abstract interface
      subroutine trellis_kernel(of_user, n_i, stride_i, i, n_j, stride_j, j, results) bind(c)
         import
         type(c_ptr), value :: of_user
         integer(c_size_t), value :: n_i, stride_i, n_j, stride_j
         real(c_float), intent(in) :: i(stride_i, *), j(stride_j, *)
         real(c_float), intent(inout) :: results(stride_i, *)
      end subroutine
      subroutine trellis_kernel_d(of_user, n_i, stride_i, i, n_j, stride_j, j, results) bind(c)
         import
         type(c_ptr), value :: of_user
         integer(c_size_t), value :: n_i, stride_i, n_j, stride_j
         real(c_double), intent(in) :: i(stride_i, *), j(stride_j, *)
         real(c_double), intent(inout) :: results(stride_i, *)
      end subroutine
      ! The longest step of each particle that begins one: as with kernels, fields(k, c) is component c of particle k.
      subroutine trellis_limit(of_user, time, count, stride, fields, steps) bind(c)
         import
         type(c_ptr), value :: of_user
         real(c_double), value :: time
         integer(c_size_t), value :: count, stride
         real(c_double), intent(in) :: fields(stride, *)
         real(c_double), intent(inout) :: steps(*)
      end subroutine
      ! The function of an object file that Python has written: procedure(trellis_interaction), bind(c) :: yukawa.
      type(c_ptr) function trellis_interaction() bind(c)
         import
      end function
   end interface

   interface
      integer(c_int) function trellis_set_threads(count) bind(c)
         import
         integer(c_int), value :: count
      end function

      integer(c_int) function trellis_particles_new(count, particles) bind(c)
         import
         integer(c_int64_t), value :: count
         type(c_ptr), intent(out) :: particles
      end function
      subroutine trellis_particles_free(particles) bind(c)
         import
         type(c_ptr), value :: particles
      end subroutine
      integer(c_int) function trellis_particles_count(particles, count) bind(c)
         import
         type(c_ptr), value :: particles
         integer(c_int64_t), intent(out) :: count
      end function
      integer(c_int) function trellis_set_box(particles, low, high) bind(c)
         import
         type(c_ptr), value :: particles
         real(c_double), intent(in) :: low(3), high(3)
      end function

      integer(c_int) function trellis_devices_open(names, devices) bind(c)
         import
         character(kind=c_char), intent(in) :: names(*)
         type(c_ptr), intent(out) :: devices
      end function
      subroutine trellis_devices_free(devices) bind(c)
         import
         type(c_ptr), value :: devices
      end subroutine

      integer(c_int) function trellis_tree_force(particles, i_fields, j_fields, results, kernel, of_user, theta, &
                                                 group_size, leaf_size, force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*)
         procedure(trellis_kernel) :: kernel
         real(c_double), value :: theta
         integer(c_int), value :: group_size, leaf_size
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_tree_force_d(particles, i_fields, j_fields, results, kernel, of_user, theta, &
                                                   group_size, leaf_size, force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*)
         procedure(trellis_kernel_d) :: kernel
         real(c_double), value :: theta
         integer(c_int), value :: group_size, leaf_size
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_cutoff_force(particles, i_fields, j_fields, results, kernel, of_user, cutoff, &
                                                   force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*)
         procedure(trellis_kernel) :: kernel
         real(c_double), value :: cutoff
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_cutoff_force_d(particles, i_fields, j_fields, results, kernel, of_user, cutoff, &
                                                     force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*)
         procedure(trellis_kernel_d) :: kernel
         real(c_double), value :: cutoff
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_search_force(particles, i_fields, j_fields, results, kernel, of_user, radius, &
                                                   search, force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*), radius(*)
         procedure(trellis_kernel) :: kernel
         integer(c_int), value :: search
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_search_force_d(particles, i_fields, j_fields, results, kernel, of_user, radius, &
                                                     search, force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: i_fields(*), j_fields(*), results(*), radius(*)
         procedure(trellis_kernel_d) :: kernel
         integer(c_int), value :: search
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_gravity(softening, accuracy, devices, force) bind(c)
         import
         real(c_double), value :: softening, accuracy
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_lennard_jones(epsilon, sigma, cutoff, devices, force) bind(c)
         import
         real(c_double), value :: epsilon, sigma, cutoff
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_gas(gamma, neighbours, courant, beside_others, devices, force) bind(c)
         import
         real(c_double), value :: gamma, neighbours, courant
         integer(c_int), value :: beside_others
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_isothermal_gas(sound_speed, neighbours, courant, devices, force) bind(c)
         import
         real(c_double), value :: sound_speed, neighbours, courant
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_interaction_force(interaction, names, values, devices, force) bind(c)
         import
         procedure(trellis_interaction) :: interaction
         character(kind=c_char), intent(in) :: names(*)
         real(c_double), intent(in) :: values(*)
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_step_limit(particles, fields, limit, of_user, force) bind(c)
         import
         type(c_ptr), value :: particles, of_user
         character(kind=c_char), intent(in) :: fields(*)
         procedure(trellis_limit) :: limit
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_encounter_limit(softening, eta, force) bind(c)
         import
         real(c_double), value :: softening, eta
         type(c_ptr), intent(out) :: force
      end function
      integer(c_int) function trellis_tidal_limit(softening, devices, force) bind(c)
         import
         real(c_double), value :: softening
         type(c_ptr), value :: devices
         type(c_ptr), intent(out) :: force
      end function
      subroutine trellis_force_free(force) bind(c)
         import
         type(c_ptr), value :: force
      end subroutine

      integer(c_int) function trellis_simulation_new(particles, timestep, simulation) bind(c)
         import
         type(c_ptr), value :: particles
         real(c_double), value :: timestep
         type(c_ptr), intent(out) :: simulation
      end function
      subroutine trellis_simulation_free(simulation) bind(c)
         import
         type(c_ptr), value :: simulation
      end subroutine
      integer(c_int) function trellis_add_force(simulation, force) bind(c)
         import
         type(c_ptr), value :: simulation, force
      end function
      integer(c_int) function trellis_set_spares(simulation, names) bind(c)
         import
         type(c_ptr), value :: simulation
         character(kind=c_char), intent(in) :: names(*)
      end function
      integer(c_int) function trellis_set_individual_steps(simulation, eta, order) bind(c)
         import
         type(c_ptr), value :: simulation
         real(c_double), value :: eta
         integer(c_int), value :: order
      end function
      integer(c_int) function trellis_compute_forces(simulation) bind(c)
         import
         type(c_ptr), value :: simulation
      end function
      integer(c_int) function trellis_step(simulation, steps) bind(c)
         import
         type(c_ptr), value :: simulation
         integer(c_int64_t), value :: steps
      end function
      integer(c_int) function trellis_run_until(simulation, time) bind(c)
         import
         type(c_ptr), value :: simulation
         real(c_double), value :: time
      end function
      integer(c_int) function trellis_time(simulation, time) bind(c)
         import
         type(c_ptr), value :: simulation
         real(c_double), intent(out) :: time
      end function
      integer(c_int) function trellis_energies(simulation, kinetic, potential) bind(c)
         import
         type(c_ptr), value :: simulation
         real(c_double), intent(out) :: kinetic, potential
      end function
      integer(c_int) function trellis_force_error(simulation, count, error) bind(c)
         import
         type(c_ptr), value :: simulation
         integer(c_int64_t), value :: count
         real(c_double), intent(out) :: error
      end function
   end interface

contains

   ! The sentence of the last error of this thread (in C: trellis_error).
   function trellis_sentence() result(sentence)
      character(len=:), allocatable :: sentence
      character(kind=c_char), pointer :: characters(:)
      type(c_ptr) :: text
      interface
         type(c_ptr) function trellis_error() bind(c)
            import
         end function
         integer(c_size_t) function strlen(text) bind(c)
            import
            type(c_ptr), value :: text
         end function
      end interface
      integer :: k

      text = trellis_error()
      call c_f_pointer(text, characters, [strlen(text)])
      allocate (character(len=size(characters)) :: sentence)
      do k = 1, size(characters)
         sentence(k:k) = characters(k)
      end do
   end function

   ! values(c, k): component c of row k. The name may do without c_null_char.
   integer(c_int) function trellis_column(particles, name, components, values) result(code)
      type(c_ptr), intent(in) :: particles
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(in) :: components
      real(c_double), pointer, intent(out) :: values(:, :)
      interface
         integer(c_int) function column(particles, name, components, values) bind(c, name="trellis_column")
            import
            type(c_ptr), value :: particles
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: components
            type(c_ptr), intent(out) :: values
         end function
      end interface
      type(c_ptr) :: first
      integer(c_int64_t) :: count

      nullify (values)
      code = column(particles, trim(name)//c_null_char, components, first)
      if (code == 0) code = trellis_particles_count(particles, count)
      if (code == 0) call c_f_pointer(first, values, [int(components, c_int64_t), count])
   end function

   ! ids(k): the number, from 0, of the particle in row k.
   integer(c_int) function trellis_ids(particles, ids) result(code)
      type(c_ptr), intent(in) :: particles
      integer(c_int64_t), pointer, intent(out) :: ids(:)
      interface
         integer(c_int) function ids_in_c(particles, ids) bind(c, name="trellis_ids")
            import
            type(c_ptr), value :: particles
            type(c_ptr), intent(out) :: ids
         end function
      end interface
      type(c_ptr) :: first
      integer(c_int64_t) :: count

      nullify (ids)
      code = ids_in_c(particles, first)
      if (code == 0) code = trellis_particles_count(particles, count)
      if (code == 0) call c_f_pointer(first, ids, [count])
   end function

end module
