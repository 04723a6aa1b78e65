! The density of 8,000 gas particles in a periodic cube, by a kernel of this program over a search radius. The radius of
! each particle follows its density: about 57 particles are within it.
module density_kernel
   use, intrinsic :: iso_c_binding
   implicit none

contains

   ! Wendland's C2 kernel in three dimensions (Dehnen & Aly 2012, table 1), 0 at r >= h, where its formula is not.
   elemental real(c_float) function wendland(r, h)
      real(c_float), intent(in) :: r, h
      real(c_float) :: q

      q = min(r/h, 1.0)
      wendland = 3.342254/h**3*(1 - q)**4*(1 + 4*q)
   end function

   ! Adds mass times W(r, h) of the j-particles (x, y, z, mass) to the densities of the i-particles (x, y, z, h).
   subroutine density(of_user, n_i, stride_i, i, n_j, stride_j, j, results) bind(c)
      type(c_ptr), value :: of_user
      integer(c_size_t), value :: n_i, stride_i, n_j, stride_j
      real(c_float), intent(in) :: i(stride_i, *), j(stride_j, *)
      real(c_float), intent(inout) :: results(stride_i, *)
      real(c_float) :: r, total
      integer(c_size_t) :: k, l

      if (c_associated(of_user)) error stop "this kernel has no parameters"
      do k = 1, n_i
         total = 0
         do l = 1, n_j
            r = sqrt((j(l, 1) - i(k, 1))**2 + (j(l, 2) - i(k, 2))**2 + (j(l, 3) - i(k, 3))**2)
            total = total + j(l, 4)*wendland(r, i(k, 4))
         end do
         results(k, 1) = results(k, 1) + total
      end do
   end subroutine

end module

program gas_density
   use trellis
   use density_kernel
   implicit none
   integer, parameter :: side = 20, n = side**3
   type(c_ptr) :: gas, force, simulation
   real(c_double), pointer :: x(:, :), m(:, :), h(:, :), rho(:, :)
   real(c_double) :: mean, error
   integer :: k, round

   call check(trellis_particles_new(int(n, c_int64_t), gas))
   call check(trellis_set_box(gas, [0d0, 0d0, 0d0], [1d0, 1d0, 1d0]))
   call check(trellis_column(gas, "position"//c_null_char, 3, x))
   call check(trellis_column(gas, "mass"//c_null_char, 1, m))
   call check(trellis_column(gas, "radius"//c_null_char, 1, h))
   call check(trellis_column(gas, "density"//c_null_char, 1, rho))
   call random_number(x)
   do k = 1, n
      x(:, k) = ([mod(k - 1, side), mod((k - 1)/side, side), (k - 1)/side**2] + 0.3*x(:, k))/side
   end do
   m = 1d0/n
   h = 2.4d0/side
   call check(trellis_search_force(gas, "position radius"//c_null_char, "position mass"//c_null_char, &
                                   "density"//c_null_char, density, c_null_ptr, "radius"//c_null_char, &
                                   TRELLIS_GATHER, force))
   call check(trellis_simulation_new(gas, 1d0, simulation))
   call check(trellis_add_force(simulation, force))

   do round = 1, 4
      call check(trellis_compute_forces(simulation))
      rho = rho + m*wendland(0.0, real(h))  ! by itself
      if (round < 4) h = 2.4*(m/rho)**(1d0/3)
   end do
   mean = sum(rho)/n
   error = maxval([(abs(rho(1, k)/direct_sum(k) - 1), k=1, n, n/20)])
   print "(a, f6.3, a, es8.1)", "mean density", mean, ", largest error", error
   if (abs(mean - 1) > 0.05 .or. error > 1e-5) error stop "the densities are wrong"

   call trellis_simulation_free(simulation)
   call trellis_force_free(force)
   call trellis_particles_free(gas)

contains

   subroutine check(code)
      integer(c_int), intent(in) :: code
      if (code /= 0) error stop trellis_sentence()
   end subroutine

   ! The density at particle k by all, itself among them.
   real(c_double) function direct_sum(k)
      integer, intent(in) :: k
      real(c_double) :: d(3)
      integer :: l

      direct_sum = 0
      do l = 1, n
         d = x(:, l) - x(:, k)
         direct_sum = direct_sum + m(1, l)*wendland(real(norm2(d - anint(d))), real(h(1, k)))
      end do
   end function

end program
