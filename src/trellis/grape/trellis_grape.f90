! The GRAPE calls for Fortran: compile this file with your program and link with libtrellis_grape. gp5util.h and
! grape3.h describe the calls. Subroutines report errors on stderr; functions return a negative number, too.
module trellis_grape
   use, intrinsic :: iso_c_binding
   implicit none

   integer(c_int), parameter :: G3_BAD_CALL = -1, G3_TOO_MANY_NEIGHBORS = -2, G3_DEVICE_FAILED = -3
   integer(c_int), parameter :: G3_GRAVITY = 1, G3_GRAVITY_AND_NEIGHBORS = 2, G3_NEIGHBORS = 3

   ! Remote-GRAPE, with the sizes of the paper. x(1,1), x(2,1) and x(3,1) of an array x(3,n) name its three components.
   interface
      subroutine g3setscales(length, mass) bind(c)
         import
         real(c_float), value :: length, mass
      end subroutine
      subroutine g3seteps2(eps2) bind(c)
         import
         real(c_float), value :: eps2
      end subroutine
      subroutine g3setn(n) bind(c)
         import
         integer(c_int), value :: n
      end subroutine
      subroutine g3setxj(j, x) bind(c)
         import
         integer(c_int), value :: j
         real(c_float), intent(in) :: x(*)
      end subroutine
      subroutine g3setm(j, mass) bind(c)
         import
         integer(c_int), value :: j
         real(c_float), value :: mass
      end subroutine
      subroutine g3frc(x, acc, pot, n) bind(c)
         import
         real(c_float), intent(in) :: x(*)
         real(c_float), intent(inout) :: acc(*), pot(*)
         integer(c_int), value :: n
      end subroutine
      subroutine g3setmass(n, mass) bind(c)
         import
         integer(c_int), value :: n
         real(c_float), intent(in) :: mass(*)
      end subroutine
      subroutine g3setdata(n, x, y, z) bind(c)
         import
         integer(c_int), value :: n
         real(c_float), intent(in) :: x(*), y(*), z(*)
      end subroutine
      subroutine g3seth2all(n, h) bind(c)
         import
         integer(c_int), value :: n
         real(c_float), intent(in) :: h(*)
      end subroutine
      subroutine g3docalculation(i0, i1, j0, j1, mode) bind(c)
         import
         integer(c_int), value :: i0, i1, j0, j1, mode
      end subroutine
      subroutine g3docalculationpara(i0, i1, j0, j1, mode) bind(c)
         import
         integer(c_int), value :: i0, i1, j0, j1, mode
      end subroutine
      subroutine g3getgravity(n, ax, ay, az, pot) bind(c)
         import
         integer(c_int), value :: n
         real(c_float), intent(inout) :: ax(*), ay(*), az(*), pot(*)
      end subroutine
      subroutine g3getgravityasync(n, ax, ay, az, pot) bind(c)
         import
         integer(c_int), value :: n
         real(c_float), intent(inout) :: ax(*), ay(*), az(*), pot(*)
      end subroutine
      integer(c_int) function c_getneighbor(n, list, begin) bind(c, name="g3getneighbor")
         import
         integer(c_int), value :: n
         integer(c_int16_t), intent(inout) :: list(*)
         integer(c_int), intent(inout) :: begin(*)
      end function
      integer(c_int) function c_getneighborasync(n, list, begin) bind(c, name="g3getneighborasync")
         import
         integer(c_int), value :: n
         integer(c_int16_t), intent(inout) :: list(*)
         integer(c_int), intent(inout) :: begin(*)
      end function
   end interface

   ! The same in double precision, with 32-bit numbers of neighbours.
   interface
      integer(c_int) function g3seteps2_d(eps2) bind(c)
         import
         real(c_double), value :: eps2
      end function
      integer(c_int) function g3setxj_d(j, x) bind(c)
         import
         integer(c_int), value :: j
         real(c_double), intent(in) :: x(*)
      end function
      integer(c_int) function g3setm_d(j, mass) bind(c)
         import
         integer(c_int), value :: j
         real(c_double), value :: mass
      end function
      integer(c_int) function g3frc_d(x, acc, pot, n) bind(c)
         import
         real(c_double), intent(in) :: x(*)
         real(c_double), intent(inout) :: acc(*), pot(*)
         integer(c_int), value :: n
      end function
      integer(c_int) function g3setmass_d(n, mass) bind(c)
         import
         integer(c_int), value :: n
         real(c_double), intent(in) :: mass(*)
      end function
      integer(c_int) function g3setdata_d(n, x, y, z) bind(c)
         import
         integer(c_int), value :: n
         real(c_double), intent(in) :: x(*), y(*), z(*)
      end function
      integer(c_int) function g3seth2all_d(n, h) bind(c)
         import
         integer(c_int), value :: n
         real(c_double), intent(in) :: h(*)
      end function
      integer(c_int) function g3getgravity_d(n, ax, ay, az, pot) bind(c)
         import
         integer(c_int), value :: n
         real(c_double), intent(inout) :: ax(*), ay(*), az(*), pot(*)
      end function
      integer(c_int) function g3getneighbor_d(n, list, capacity, begin) bind(c)
         import
         integer(c_int), value :: n, capacity
         integer(c_int), intent(inout) :: list(*), begin(*)
      end function
   end interface

   ! GRAPE-5.
   interface
      subroutine g5_open() bind(c)
      end subroutine
      subroutine g5_close() bind(c)
      end subroutine
      integer(c_int) function g5_get_number_of_pipelines() bind(c)
         import
      end function
      integer(c_int) function g5_get_jmemsize() bind(c)
         import
      end function
      subroutine g5_set_range(xmin, xmax, mmin) bind(c)
         import
         real(c_double), value :: xmin, xmax, mmin
      end subroutine
      subroutine g5_set_eps_to_all(eps) bind(c)
         import
         real(c_double), value :: eps
      end subroutine
      subroutine g5_set_n(n) bind(c)
         import
         integer(c_int), value :: n
      end subroutine
      subroutine g5_set_nMC(devid, n) bind(c, name="g5_set_nMC")
         import
         integer(c_int), value :: devid, n
      end subroutine
      subroutine g5_set_xmj(adr, nj, xj, mj) bind(c)
         import
         integer(c_int), value :: adr, nj
         real(c_double), intent(in) :: xj(3, *), mj(*)
      end subroutine
      subroutine g5_set_xmjMC(devid, adr, nj, xj, mj) bind(c, name="g5_set_xmjMC")
         import
         integer(c_int), value :: devid, adr, nj
         real(c_double), intent(in) :: xj(3, *), mj(*)
      end subroutine
      subroutine g5_set_xi(ni, xi) bind(c)
         import
         integer(c_int), value :: ni
         real(c_double), intent(in) :: xi(3, *)
      end subroutine
      subroutine g5_set_xiMC(devid, ni, xi) bind(c, name="g5_set_xiMC")
         import
         integer(c_int), value :: devid, ni
         real(c_double), intent(in) :: xi(3, *)
      end subroutine
      subroutine g5_run() bind(c)
      end subroutine
      subroutine g5_runMC(devid) bind(c, name="g5_runMC")
         import
         integer(c_int), value :: devid
      end subroutine
      subroutine g5_get_force(ni, a, p) bind(c)
         import
         integer(c_int), value :: ni
         real(c_double), intent(inout) :: a(3, *), p(*)
      end subroutine
      subroutine g5_get_forceMC(devid, ni, a, p) bind(c, name="g5_get_forceMC")
         import
         integer(c_int), value :: devid, ni
         real(c_double), intent(inout) :: a(3, *), p(*)
      end subroutine
      subroutine g5_calculate_force_on_x(x, a, p, ni) bind(c)
         import
         real(c_double), intent(in) :: x(3, *)
         real(c_double), intent(inout) :: a(3, *), p(*)
         integer(c_int), value :: ni
      end subroutine
      subroutine g5_calculate_force_on_xMC(devid, x, a, p, ni) bind(c, name="g5_calculate_force_on_xMC")
         import
         integer(c_int), value :: devid, ni
         real(c_double), intent(in) :: x(3, *)
         real(c_double), intent(inout) :: a(3, *), p(*)
      end subroutine
   end interface

contains

   ! entries: the number of entries in list, or one of the negative numbers above. A number of more than 32767 appears
   ! in list as that less 65536.
   subroutine g3getneighbor(n, list, begin, entries)
      integer(c_int), intent(in) :: n
      integer(c_int16_t), intent(inout) :: list(*)
      integer(c_int), intent(inout) :: begin(*)
      integer(c_int), intent(out), optional :: entries
      integer(c_int) :: outcome

      outcome = c_getneighbor(n, list, begin)
      if (present(entries)) entries = outcome
   end subroutine

   subroutine g3getneighborasync(n, list, begin, entries)
      integer(c_int), intent(in) :: n
      integer(c_int16_t), intent(inout) :: list(*)
      integer(c_int), intent(inout) :: begin(*)
      integer(c_int), intent(out), optional :: entries
      integer(c_int) :: outcome

      outcome = c_getneighborasync(n, list, begin)
      if (present(entries)) entries = outcome
   end subroutine

end module
