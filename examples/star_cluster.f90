! A Plummer sphere of 4,096 stars, whose gravity is a kernel of this program over a tree. In standard units, with total
! mass 1 and an energy of about -1/4.
module gravity_kernel
   use, intrinsic :: iso_c_binding
   implicit none

contains

   ! Adds the pulls of the j-particles (x, y, z, mass) on the i-particles (x, y, z) to their accelerations and
   ! potentials. Several threads call it at once.
   subroutine gravity(of_user, n_i, stride_i, i, n_j, stride_j, j, results) bind(c)
      type(c_ptr), value :: of_user
      integer(c_size_t), value :: n_i, stride_i, n_j, stride_j
      real(c_float), intent(in) :: i(stride_i, *), j(stride_j, *)
      real(c_float), intent(inout) :: results(stride_i, *)
      real(c_float), pointer :: softening
      real(c_float) :: eps2, dx, dy, dz, inverse, pull, ax, ay, az, phi
      integer(c_size_t) :: k, l

      call c_f_pointer(of_user, softening)
      eps2 = softening**2
      do k = 1, n_i
         ax = 0
         ay = 0
         az = 0
         phi = 0
         do l = 1, n_j
            dx = j(l, 1) - i(k, 1)
            dy = j(l, 2) - i(k, 2)
            dz = j(l, 3) - i(k, 3)
            inverse = 1/sqrt(dx*dx + dy*dy + dz*dz + eps2)
            pull = j(l, 4)*inverse
            ax = ax + pull*inverse*inverse*dx
            ay = ay + pull*inverse*inverse*dy
            az = az + pull*inverse*inverse*dz
            phi = phi - pull
         end do
         results(k, 1) = results(k, 1) + ax
         results(k, 2) = results(k, 2) + ay
         results(k, 3) = results(k, 3) + az
         results(k, 4) = results(k, 4) + phi
      end do
   end subroutine

end module

program star_cluster
   use trellis
   use gravity_kernel
   implicit none
   integer(c_int64_t), parameter :: n = 4096
   real(c_float), target :: softening = 1.0/64
   type(c_ptr) :: stars, force, simulation
   real(c_double) :: kinetic, potential, first, error

   call check(trellis_particles_new(n, stars))
   call make_plummer_sphere()
   call check(trellis_tree_force(stars, "position"//c_null_char, "position mass"//c_null_char, &
                                 "acceleration potential"//c_null_char, gravity, c_loc(softening), 0.5d0, 0, 0, force))
   call check(trellis_simulation_new(stars, 1d0/128, simulation))
   call check(trellis_add_force(simulation, force))

   call check(trellis_force_error(simulation, 200_c_int64_t, error))
   call check(trellis_energies(simulation, kinetic, potential))
   first = kinetic + potential
   call check(trellis_run_until(simulation, 0.5d0))
   call check(trellis_energies(simulation, kinetic, potential))
   print "(a, es8.1, a, f8.4, a, es9.1)", "error of forces", error, ", energy", first, ", changed by", &
      (kinetic + potential)/first - 1
   if (error > 1e-2 .or. abs((kinetic + potential)/first - 1) > 1e-3) error stop "the forces are wrong"

   call trellis_simulation_free(simulation)
   call trellis_force_free(force)
   call trellis_particles_free(stars)

contains

   subroutine check(code)
      integer(c_int), intent(in) :: code
      if (code /= 0) error stop trellis_sentence()
   end subroutine

   ! After Aarseth, Henon & Wielen 1974.
   subroutine make_plummer_sphere()
      real(c_double), pointer :: x(:, :), v(:, :), m(:, :)
      real(c_double), parameter :: scale = 3*acos(-1d0)/16
      real(c_double) :: r, drawn(2)
      integer :: k

      call check(trellis_column(stars, "position"//c_null_char, 3, x))
      call check(trellis_column(stars, "velocity"//c_null_char, 3, v))
      call check(trellis_column(stars, "mass"//c_null_char, 1, m))
      m = 1d0/n
      do k = 1, int(n)
         call random_number(drawn)
         r = 1/sqrt((0.001 + 0.998*drawn(1))**(-2d0/3) - 1)
         do
            call random_number(drawn)
            if (0.1*drawn(2) <= drawn(1)**2*(1 - drawn(1)**2)**3.5) exit
         end do
         x(:, k) = scale*r*direction()
         v(:, k) = drawn(1)*sqrt(2/scale)*(1 + r*r)**(-0.25)*direction()
      end do
   end subroutine

   function direction() result(unit)
      real(c_double) :: unit(3), drawn(2), z, angle

      call random_number(drawn)
      z = 2*drawn(1) - 1
      angle = 2*acos(-1d0)*drawn(2)
      unit = [sqrt(1 - z*z)*cos(angle), sqrt(1 - z*z)*sin(angle), z]
   end function

end program
