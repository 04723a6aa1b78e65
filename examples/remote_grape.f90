! Gravity and neighbours by the calls of Remote-GRAPE (Nakasato, Mori & Nomoto 1997), in the three ways of the paper: in
! pieces of 8 particles as with the original library, all at once, and while the program goes on.
program remote_grape
   use trellis_grape
   implicit none
   integer, parameter :: nall = 2000
   real :: x(3, nall), mass(nall), h(nall), acc(3, nall), pot(nall), acc_at_once(3, nall), pot_at_once(nall), potential
   integer*2 :: list(nall*100), list_later(nall*100)
   integer :: begin(nall), begin_later(nall), i, j, entries

   call random_number(x)
   mass = 1.0/nall
   h = 0.1

   ! section 3.2, the original library
   call g3setscales(1.0, 1.0)
   call g3seteps2(1e-4)
   call g3setn(nall)
   do j = 1, nall
      call g3setxj(j - 1, x(1, j))
      call g3setm(j - 1, mass(j))
   end do
   do i = 1, nall, 8
      call g3frc(x(1, i), acc(1, i), pot(i), 8)
   end do

   ! section 3.2, Remote-GRAPE
   call g3setmass(nall, mass)
   call g3setdata(nall, x(1, 1), x(2, 1), x(3, 1))
   call g3seth2all(nall, h)
   call g3docalculation(1, nall, 1, nall, 2)
   call g3getgravity(nall, acc_at_once(1, 1), acc_at_once(2, 1), acc_at_once(3, 1), pot_at_once)
   call g3getneighbor(nall, list, begin, entries)
   if (maxval(abs(acc - acc_at_once)) > 1e-5*maxval(abs(acc))) error stop "the forces differ"
   if (maxval(abs(pot - pot_at_once)) > 1e-5*maxval(pot)) error stop "the potentials differ"

   ! section 4.2, in parallel
   call g3docalculationpara(1, nall, 1, nall, 2)
   potential = 0  ! another calculation
   do i = 1, nall
      potential = potential - 0.5*mass(i)*(pot(i) - mass(i)/1e-2)
   end do
   call g3getgravityasync(nall, acc(1, 1), acc(2, 1), acc(3, 1), pot)
   call g3getneighborasync(nall, list_later, begin_later)
   if (any(acc /= acc_at_once) .or. any(begin /= begin_later)) error stop "the results of both ways differ"
   if (any(list(1:entries) /= list_later(1:entries))) error stop "the neighbours differ"

   print '(a, f8.4, a, f6.2, a)', "potential energy ", potential, ", ", real(entries)/nall, " neighbours a particle"
   if (entries < nall) error stop "a particle is not its own neighbour"
end program
