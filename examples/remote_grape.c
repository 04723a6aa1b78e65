/* Gravity and neighbours by the calls of Remote-GRAPE (Nakasato, Mori & Nomoto 1997), in the three ways of the paper:
 * in pieces of 8 particles as with the original library, all at once, and while the program goes on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trellis/grape/grape3.h>

enum { nall = 2000 };

static float x[nall][3], mass[nall], h[nall], acc[nall][3], pot[nall], acc_later[nall][3], pot_later[nall];
static unsigned short list[100 * nall], list_later[100 * nall];
static int begin[nall], begin_later[nall];

int main(void) {
    for (int i = 0; i < nall; ++i) {
        for (int axis = 0; axis < 3; ++axis) x[i][axis] = (float)rand() / (float)RAND_MAX;
        mass[i] = 1.0F / nall;
        h[i] = 0.1F;
    }

    /* section 3.2, the original library */
    g3setscales(1, 1);
    g3seteps2(1e-4F);
    g3setn(nall);
    for (int j = 0; j < nall; ++j) {
        g3setxj(j, x[j]);
        g3setm(j, mass[j]);
    }
    for (int i = 0; i < nall; i += 8) g3frc(x[i], acc[i], &pot[i], 8);
    double potential = 0;
    for (int i = 0; i < nall; ++i) potential -= 0.5 * mass[i] * (pot[i] - mass[i] / 1e-2);

    /* section 3.2, Remote-GRAPE */
    g3setmass(nall, mass);
    g3setdata(nall, &x[0][0], &x[0][1], &x[0][2]);
    g3seth2all(nall, h);
    g3docalculation(1, nall, 1, nall, 2);
    g3getgravity(nall, &acc[0][0], &acc[0][1], &acc[0][2], pot);
    const int entries = g3getneighbor(nall, list, begin);
    if (entries < nall) return 1; /* each particle is its own neighbour */

    /* section 4.2, in parallel */
    g3docalculationpara(1, nall, 1, nall, 2);
    double potential_at_once = 0; /* another calculation */
    for (int i = 0; i < nall; ++i) potential_at_once -= 0.5 * mass[i] * (pot[i] - mass[i] / 1e-2);
    g3getgravityasync(nall, &acc_later[0][0], &acc_later[0][1], &acc_later[0][2], pot_later);
    g3getneighborasync(nall, list_later, begin_later);

    printf("potential energy %.4f, %.2f neighbours a particle\n", potential, (double)entries / nall);
    const int same = memcmp(acc, acc_later, sizeof acc) == 0 && memcmp(pot, pot_later, sizeof pot) == 0 &&
                     memcmp(list, list_later, sizeof list) == 0 && memcmp(begin, begin_later, sizeof begin) == 0;
    return same && fabs(potential_at_once / potential - 1) < 1e-5 ? 0 : 1;
}
