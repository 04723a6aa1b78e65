def begin(i,p,n): return n*i//p
def surf(n,nx,ny,S):
    q=0
    for i in range(nx):
        m=begin(i+1,nx,n)-begin(i,nx,n)
        q+=(m%ny)*(m//ny+1)**2+(ny-m%ny)*(m//ny)**2
    return (nx-1)/S[0]+(ny-1)/S[1]+(q/n-1)/S[2]
def asp(n,nx,ny,S):
    w=1
    for i in range(nx):
        m=begin(i+1,nx,n)-begin(i,nx,n)
        for j in range(ny):
            k=begin(j+1,ny,m)-begin(j,ny,m)
            d=(m/n*S[0],k/m*S[1],S[2]/k); w=max(w,max(d)/min(d))
    return w
for n in [1,2,3,4,5,6,7,8,11,12,13,16,17,19,23,29,31,37,43,47,53,61,64,67,97,101,127,199,499,997,1000]:
    S=(1,1,1)
    c=[(surf(n,x,y,S),x,y) for x in range(1,n+1) for y in range(1,n//x+1)] if n<600 else [(surf(n,x,y,S),x,y) for x in range(1,30) for y in range(1,30)]
    b=min(c); a=min((asp(n,x,y,S),x,y) for _,x,y in c) if n<130 else None
    print(n,b, round(asp(n,b[1],b[2],S),2), a)
