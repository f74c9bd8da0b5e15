/* What `ritt check` finds: verdict, degrees of freedom, index and hidden constraints of systems
 * whose numbers are known, from the ranks of their derivative arrays. Starts are guesses next to a
 * consistent point. */
#include "run.h"

typedef struct system_check {
  const char *name;
  int unknowns, equations, degrees_of_freedom, index, hidden_constraints;
  const char *text;
} system_check;

/* clang-format off */
/* the top stage is linear: what the fast path is made for */
static const system_check linear[] = {
  {"lin1", 1, 1, 1, 0, 0,
   "model lin1\nvariable y\nequation\n  y' = 3*y+2*t^2\nstart t = 0\n  y ~ 0.01242344752\n"},
  {"vdp", 1, 1, 2, 0, 0,
   "model vdp\nparameter mu = 5\nvariable x\nequation\n  x''-mu*(1-x^2)*x'+x=0\nstart t = 0\n"
   "  x ~ 0.037146070783, x' ~ -0.007456877311\n"},
  {"double_pend_angles", 2, 2, 4, 0, 0,
   "model double_pend_angles\nparameter g = 981/100\nvariable a, b\nequation\n"
   "  2*a''+b''*cos(a-b)+b'^2*sin(a-b)+2*g*sin(a)=0\n  a''*cos(a-b)+b''-a'^2*sin(a-b)+g*sin(b)=0\n"
   "start t = 0\n  a ~ 0.028104374386, a' ~ -0.050700126569\n"
   "  b ~ 0.032519496009, b' ~ -0.150733928772\n"},
  {"robertson", 3, 3, 2, 1, 0,
   "model robertson\nparameter k1 = 4/100, k2 = 30000000, k3 = 10000\nvariable x, y, z\nequation\n"
   "  x'=-k1*x+k3*y*z\n  y'=k1*x-k3*y*z-k2*y^2\n  x+y+z=1\nstart t = 0\n  x ~ 0.800631327168\n"
   "  y ~ 1.3373246e-05\n  z ~ 0.199355299585\n"},
  {"cap_r_small", 3, 3, 1, 1, 0,
   "model cap_r_small\nparameter r = 1/1000, c = 1, g = 0\nvariable v, i, vc\nequation\n  v=i*r+vc\n"
   "  i=c*vc'+g*vc\n  v=1\nstart t = 0\n  v ~ 1\n  i ~ -1.285e-09\n  vc ~ 1\n"},
  {"two_empty_tanks", 4, 4, 2, 1, 0, /* sqrt(h) has values on one side of the start only */
   "model two_empty_tanks\nvariable h1, h2, q1, q2\nequation\n  h1'=1-q1\n  h2'=q1-q2\n  q1=sqrt(h1)\n"
   "  q2=sqrt(h2)\nstart t = 0\n  h1 = 0, h2 = 0\n"},
  {"hess2", 3, 3, 1, 2, 1,
   "model hess2\nvariable x, y, z\nequation\n  x'=x+y*z\n  y'=-y+x*z+sin(t)\n  x^2+y^2=1\nstart t = 0\n"
   "  x ~ 0.744196988695\n  y ~ 0.667960209906\n  z ~ -0.108287689043\n"},
  {"pend_velocity", 3, 3, 3, 2, 1,
   "model pend_velocity\nvariable x, y, l\nequation\n  x''+x*l=0\n  y''+y*l+1=0\n  x*x'+y*y'=0\n"
   "start t = 0\n  x ~ 0.763713651584, x' ~ -0.085215316304\n"
   "  y ~ -0.731728849471, y' ~ -0.088940186563\n  l ~ 0.667659280228\n"},
  {"cap_loop", 4, 4, 0, 2, 1,
   "model cap_loop\nparameter C1 = 1, C2 = 2\nvariable e1, i1, i2, iv\nequation\n  C1*e1'=i1\n"
   "  C2*e1'=i2\n  iv+i1+i2=0\n  e1=sin(t)\nstart t = 0\n  e1 ~ 0\n  i1 ~ 1\n  i2 ~ 2\n  iv ~ -3\n"},
  {"discharge_pressure", 5, 5, 2, 2, 1,
   "model discharge_pressure\n"
   "parameter c1 = 991/10, c2 = 1/1000, c3 = 75/1000, c4 = 335/100, c5 = 245818/100, c6 = 25/36\n"
   "variable y1, y2, y3, y4, y5\nequation\n  20*y1'+y1-y2=0\n  75*y2'+5*y3'+y3-c1=0\n"
   "  20*y4'+y5-(5*tanh(t-10)+15)=0\n  c2*y4*y5^2-c3*y4*y5+c4*y4-y3=0\n"
   "  y1^2*y4^2-c5*y1^2+c6*(5*tanh(t-10)+15)^2=0\nstart t = 0\n"
   "  y1 ~ 0.249990615759, y1' ~ 1.226144e-06\n  y2 ~ 0.250015138644\n  y3 ~ 99.0995019623\n"
   "  y4 ~ 36.7013005783, y4' ~ 0.000148375207\n  y5 ~ 9.99703251648\n"},
  {"knife_edge", 4, 4, 5, 2, 1,
   "model knife_edge\nparameter g = 981/100, al = 3/10, J = 1\nvariable x, y, th, l\nequation\n"
   "  x''=l*sin(th)+g*sin(al)\n  y''=-l*cos(th)\n  J*th''=0\n  x'*sin(th)-y'*cos(th)=0\nstart t = 0\n"
   "  x ~ 0.037719066328, x' ~ -0.373418796344\n  y ~ 0.031470035146, y' ~ -0.063582261997\n"
   "  th ~ 0.168653195432, th' ~ 0.043854831559\n  l ~ -0.470008104213\n"},
  {"rolling_disk_vertical", 6, 6, 6, 2, 2,
   "model rolling_disk_vertical\nparameter m = 1, J = 1/4, I = 1/2, R = 1\n"
   "variable x, y, th, ph, l1, l2\nequation\n  m*x''=l1\n  m*y''=l2\n  J*th''=0\n"
   "  I*ph''=-R*(l1*cos(th)+l2*sin(th))\n  x'=R*ph'*cos(th)\n  y'=R*ph'*sin(th)\nstart t = 0\n"
   "  x ~ 0.037719066328, x' ~ -0.02785253057\n  y ~ 0.031470035146, y' ~ -0.013541327571\n"
   "  th ~ 0.452530152569, th' ~ 0.1834930729\n  ph ~ -0.379626441314, ph' ~ -0.030969840354\n"
   "  l1 ~ 0.002484739807\n  l2 ~ -0.005110746422\n"},
  {"pendulum", 3, 3, 2, 3, 2,
   "model pendulum\nvariable x, y, l\nequation\n  x''+x*l=0\n  y''+y*l+1=0\n  x^2+y^2=1\nstart t = 0\n"
   "  x ~ 0.734731567768, x' ~ -0.072577113739\n  y ~ -0.678357961054, y' ~ -0.078608492305\n"
   "  l ~ 0.689804693555\n"},
  {"double_pend_cart", 6, 6, 4, 3, 4,
   "model double_pend_cart\nparameter g = 981/100\nvariable x1, y1, x2, y2, l1, l2\nequation\n"
   "  x1''=-l1*x1-l2*(x1-x2)\n  y1''=-l1*y1-l2*(y1-y2)-g\n  x2''=-l2*(x2-x1)\n  y2''=-l2*(y2-y1)-g\n"
   "  x1^2+y1^2=1\n  (x2-x1)^2+(y2-y1)^2=1\nstart t = 0\n  x1 ~ 0.735829156044, x1' ~ -0.002183866459\n"
   "  y1 ~ 0.677167226846, y1' ~ 0.002373051368\n  x2 ~ 1.5499880871, x2' ~ -0.001046666762\n"
   "  y2 ~ 0.096525138301, y2' ~ 0.003967598694\n  l1 ~ -6.78684944286\n  l2 ~ -0.698670590608\n"},
  {"particle_chain6", 17, 17, 14, 3, 10,
   "model particle_chain6\nparameter c = 5\n"
   "variable x1, y1, x2, y2, x3, y3, x4, y4, x5, y5, x6, y6, l1, l2, l3, l4, l5\nequation\n"
   "  x1''+c*((x1-x3))+l1*(x1-x2)=0\n  y1''+c*((y1-y3))+l1*(y1-y2)=0\n"
   "  x2''+c*((x2-x4))+l1*(x2-x1)+l2*(x2-x3)=0\n  y2''+c*((y2-y4))+l1*(y2-y1)+l2*(y2-y3)=0\n"
   "  x3''+c*((x3-x1)+(x3-x5))+l2*(x3-x2)+l3*(x3-x4)=0\n"
   "  y3''+c*((y3-y1)+(y3-y5))+l2*(y3-y2)+l3*(y3-y4)=0\n"
   "  x4''+c*((x4-x2)+(x4-x6))+l3*(x4-x3)+l4*(x4-x5)=0\n"
   "  y4''+c*((y4-y2)+(y4-y6))+l3*(y4-y3)+l4*(y4-y5)=0\n  x5''+c*((x5-x3))+l4*(x5-x4)+l5*(x5-x6)=0\n"
   "  y5''+c*((y5-y3))+l4*(y5-y4)+l5*(y5-y6)=0\n  x6''+c*((x6-x4))+l5*(x6-x5)=0\n"
   "  y6''+c*((y6-y4))+l5*(y6-y5)=0\n  (x1-x2)^2/2+(y1-y2)^2/2=1/2\n  (x2-x3)^2/2+(y2-y3)^2/2=1/2\n"
   "  (x3-x4)^2/2+(y3-y4)^2/2=1/2\n  (x4-x5)^2/2+(y4-y5)^2/2=1/2\n  (x5-x6)^2/2+(y5-y6)^2/2=1/2\n"
   "start t = 0\n  x1 ~ 0.816233860139, x1' ~ 0.082463089533\n"
   "  y1 ~ -0.027239239871, y1' ~ -0.141321254495\n  x2 ~ 0.800117840887, x2' ~ 0.155117793681\n"
   "  y2 ~ 0.972630888658, y2' ~ -0.140150197797\n  x3 ~ 1.05432387748, x3' ~ 0.105710716524\n"
   "  y3 ~ 0.005480801567, y3' ~ -0.153136369676\n  x4 ~ 1.43603625419, x4' ~ 0.09519621486\n"
   "  y4 ~ 0.929761960882, y4' ~ -0.148794059569\n  x5 ~ 1.43967599074, x5' ~ 0.090726064881\n"
   "  y5 ~ -0.070231415255, y5' ~ -0.148810329845\n  x6 ~ 1.95361217656, x6' ~ -0.072153521008\n"
   "  y6 ~ 0.787597004018, y6' ~ -0.051227047178\n  l1 ~ -0.14931068897\n  l2 ~ -0.109205060216\n"
   "  l3 ~ 0.077764772657\n  l4 ~ -0.577619551994\n  l5 ~ 0.237859597545\n"},
  {"fourbar_grashof", 7, 7, 2, 3, 6,
   "model fourbar_grashof\n"
   "parameter a = 1, b = 2, c = 3/2, d = 2, T = 8/10, m1 = 2/10, m2 = 1/10, g = 981/100\n"
   "variable y1, y2, y3, y4, l1, l2, l3\nequation\n  m1*y1''+y2*T/a^2+y1*l1-(y3-y1)*l2=0\n"
   "  m1*y2''-y1*T/a^2+m1*g+y2*l1-(y4-y2)*l2=0\n  m2*y3''+(y3-y1)*l2-(d-y3)*l3=0\n"
   "  m2*y4''+m2*g+(y4-y2)*l2+y4*l3=0\n  y1^2+y2^2=a^2\n  (y3-y1)^2+(y4-y2)^2=b^2\n  (d-y3)^2+y4^2=c^2\n"
   "start t = 0\n  y1 ~ 0.592114252408, y1' ~ -0.021031456982\n"
   "  y2 ~ 0.805854026543, y2' ~ 0.015453202463\n  y3 ~ 2.49700640884, y3' ~ -0.018123835426\n"
   "  y4 ~ 1.41526839489, y4' ~ 0.006364631891\n  l1 ~ -1.42764858593\n  l2 ~ 0.09468781701\n"
   "  l3 ~ -0.693179242126\n"},
  {"fourbar_parallelogram (crossed branch g2)", 7, 7, 2, 3, 6,
   "model fourbar_parallelogram\n"
   "parameter a = 1, b = 2, c = 1, d = 2, T = 8/10, m1 = 2/10, m2 = 1/10, g = 981/100\n"
   "variable y1, y2, y3, y4, l1, l2, l3\nequation\n  m1*y1''+y2*T/a^2+y1*l1-(y3-y1)*l2=0\n"
   "  m1*y2''-y1*T/a^2+m1*g+y2*l1-(y4-y2)*l2=0\n  m2*y3''+(y3-y1)*l2-(d-y3)*l3=0\n"
   "  m2*y4''+m2*g+(y4-y2)*l2+y4*l3=0\n  y1^2+y2^2=a^2\n  (y3-y1)^2+(y4-y2)^2=b^2\n  (d-y3)^2+y4^2=c^2\n"
   "start t = 0\n  y1 ~ 0.733506400219, y1' ~ 0.010465862406\n"
   "  y2 ~ 0.679682544161, y2' ~ -0.011294650899\n  y3 ~ 1.8390744827, y3' ~ 0.022068238\n"
   "  y4 ~ -0.986966553578, y4' ~ -0.003598240085\n  l1 ~ -1.29819616261\n  l2 ~ -0.10965808575\n"
   "  l3 ~ 1.12913399997\n"},
  {"fourbar_parallelogram (parallel branch g1)", 7, 7, 2, 3, 6,
   "model fourbar_parallelogram\n"
   "parameter a = 1, b = 2, c = 1, d = 2, T = 8/10, m1 = 2/10, m2 = 1/10, g = 981/100\n"
   "variable y1, y2, y3, y4, l1, l2, l3\nequation\n  m1*y1''+y2*T/a^2+y1*l1-(y3-y1)*l2=0\n"
   "  m1*y2''-y1*T/a^2+m1*g+y2*l1-(y4-y2)*l2=0\n  m2*y3''+(y3-y1)*l2-(d-y3)*l3=0\n"
   "  m2*y4''+m2*g+(y4-y2)*l2+y4*l3=0\n  y1^2+y2^2=a^2\n  (y3-y1)^2+(y4-y2)^2=b^2\n  (d-y3)^2+y4^2=c^2\n"
   "start t = 0\n  y1 ~ 0.690296496928, y1' ~ -0.000264949219\n"
   "  y2 ~ 0.723526603746, y2' ~ 0.000252780639\n  y3 ~ 2.69029649693, y3' ~ -0.000264949219\n"
   "  y4 ~ 0.723526603746, y4' ~ 0.000252780639\n  l1 ~ -1.16513996124\n  l2 ~ 0.184282558019\n"
   "  l3 ~ -0.964198793357\n"},
  {"slider_crank_trig", 5, 5, 2, 3, 4,
   "model slider_crank_trig\nparameter J1 = 1, J2 = 1, m = 1, r = 1, l = 2\nvariable p, q, x, l1, l2\n"
   "equation\n  J1*p''-l1*r*sin(p)+l2*r*cos(p)=0\n  J2*q''-l1*l*sin(q)+l2*l*cos(q)=0\n  m*x''-l1=0\n"
   "  r*cos(p)+l*cos(q)=x\n  r*sin(p)+l*sin(q)=0\nstart t = 0\n"
   "  p ~ 0.711740586271, p' ~ -0.365914205039\n  q ~ -0.332679083202, q' ~ 0.146576578118\n"
   "  x ~ 2.64756777733, x' ~ 0.334734778316\n  l1 ~ -0.074891122589\n  l2 ~ -0.004339074089\n"},
  {"2_pendula", 6, 6, 4, 5, 4,
   "model two_pendula\nparameter G = 1, L = 1, c = 1/10\nvariable x1, y1, l1, x2, y2, l2\nequation\n"
   "  x1''+l1*x1=0\n  y1''+l1*y1-G=0\n  x1^2+y1^2=(L)^2\n  x2''+l2*x2=0\n  y2''+l2*y2-G=0\n"
   "  x2^2+y2^2=(L+c*l1)^2\nstart t = 0\n"
   "  x1 ~ 0.836773804446, x1' ~ -0.010934056922, x1'' ~ -0.458508101288\n"
   "  y1 ~ 0.54754871947, y1' ~ 0.01670962251, y1'' ~ 0.699972056495\n"
   "  l1 ~ 0.547947484555, l1' ~ 0.050128867531\n  x2 ~ 0.884484386024, x2' ~ 0.016572100027\n"
   "  y2 ~ 0.574699340741, y2' ~ -0.016304520349\n  l2 ~ 0.317921251542\n"},
  {"crane", 7, 7, 0, 5, 8,
   "model crane\nparameter m = 1, mt = 2, Jr = 1, g = 981/100\nvariable x, z, s, l, lam, F, G\n"
   "equation\n  m*x''=-lam*(x-s)\n  m*z''=m*g-lam*z\n  mt*s''=F+lam*(x-s)\n  Jr*l''=G+lam*l\n"
   "  (x-s)^2+z^2=l^2\n  x=sin(t)\n  z=4+cos(t)/2\nstart t = 0.4\n"
   "  x ~ 0.389418342309, x' ~ 0.921060994003, x'' ~ -0.389418342309\n"
   "  z ~ 4.460530497, z' ~ -0.194709171154, z'' ~ -0.460530497001\n"
   "  s ~ 0.220292473643, s' ~ 0.52521701208\n  l ~ 4.46373564116, l' ~ -0.179571283588\n"
   "  lam ~ 2.30253565218, lam' ~ 0.056857729682\n  F ~ -0.770419115115\n  G ~ -10.7092743132\n"},
  {"nilpotent6", 6, 6, 0, 6, 5,
   "model nilpotent6\nvariable a, b, c, d, e, f\nequation\n  a=sin(t)\n  a'=b\n  b'=c\n  c'=d\n  d'=e\n"
   "  e'=f\nstart t = 0\n  a ~ 0, a' ~ 1\n  b ~ 1, b' ~ 0\n  c ~ 0, c' ~ -1\n  d ~ -1, d' ~ 0\n  e ~ 0\n"
   "  f ~ 1\n"},
  {"singular_control", 5, 5, 2, 3, 2,
   "model singular_control\nvariable x1, x2, u, p1, p2\nequation\n  x1'=x2+u\n  x2'=-u\n  p1'=-2*x1\n"
   "  p2'=-p1\n  p1-p2=0\nstart t = 0\n  x1 ~ 0.039445041892\n  x2 ~ 0.138648575678\n"
   "  u ~ -0.178093617569\n  p1 ~ 0.078890083784, p1' ~ -0.078890083784\n"
   "  p2 ~ 0.078890083784, p2' ~ -0.078890083784\n"},
  {"reissig5", 5, 5, 2, 1, 0,
   "model reissig5\nvariable x1, x2, x3, x4, x5\nequation\n  x2'+x3'+x1=sin(t)\n  x2'+x3'+x2=cos(t)\n"
   "  x4'+x5'+x3=t\n  x4'+x5'+x4=t^2\n  x5=exp(t)\nstart t = 0\n  x1 ~ -0.31652967468\n"
   "  x2 ~ 0.68347032532\n  x3 ~ -0.008508072287\n  x4 ~ -0.008508072287, x4' ~ -0.991491927713\n"
   "  x5 ~ 1, x5' ~ 1\n"},
  {"branch_square (y=x)", 2, 2, 1, 1, 0,
   "model branch_square\nvariable x, y\nequation\n  x^2=y^2\n  x'+y'=cos(t)\nstart t = 0\n"
   "  x ~ 0.999987361604\n  y ~ 0.999987361604\n"},
  {"double_parallelogram", 11, 11, 2, 3, 10,
   "model double_parallelogram\nvariable x1, y1, x2, y2, x3, y3, a, b, c, d, e\nequation\n"
   "  x1''+a*x1-d*(x2-x1)=0\n  y1''+1+a*y1-d*(y2-y1)=0\n  x2''+b*(x2-1)+d*(x2-x1)-e*(x3-x2)=0\n"
   "  y2''+1+b*y2+d*(y2-y1)-e*(y3-y2)=0\n  x3''+c*(x3-2)+e*(x3-x2)=0\n  y3''+1+c*y3+e*(y3-y2)=0\n"
   "  x1^2+y1^2-1=0\n  (x2-1)^2+y2^2-1=0\n  (x3-2)^2+y3^2-1=0\n  (x2-x1)^2+(y2-y1)^2-1=0\n"
   "  (x3-x2)^2+(y3-y2)^2-1=0\nstart t = 0\n  x1 ~ 0.755799330985, x1' ~ 0\n"
   "  y1 ~ 0.654803307324, y1' ~ 0\n  x2 ~ 1.75579933098, x2' ~ 0\n  y2 ~ 0.654803307324, y2' ~ 0\n"
   "  x3 ~ 2.75579933098, x3' ~ 0\n  y3 ~ 0.654803307324, y3' ~ 0\n  a ~ -0.654803307324\n"
   "  b ~ -0.654803307324\n  c ~ -0.654803307324\n  d ~ 0\n  e ~ 0\n"},
  {"massless_coord", 3, 3, 2, 1, 0,
   "model massless_coord\nparameter m = 1, k = 1\nvariable x, y, l\nequation\n  m*x''+2*x*l=0\n"
   "  k*y+l=0\n  x^2+y-1=0\nstart t = 0\n  x ~ 0.808598951647, x' ~ 0.105605158801\n"
   "  y ~ 0.346167735395\n  l ~ -0.346167735395\n"},
};

/* invariants with a given value count as equations */
static const system_check invariants[] = {
  {"henon_heiles_E", 2, 2, 3, 0, 0,
   "model henon_heiles_E\nparameter a = 29952/1000000\nvariable x, y\nequation\n  x''+x+2*x*y=0\n"
   "  y''+y+x^2-y^2=0\ninvariant (x'^2+y'^2)/2+(x^2+y^2)/2+x^2*y-y^3/3=a\nstart t = 0\n"
   "  x ~ 0.119124204353, x' ~ 0.120746970933\n  y ~ 0.119556036996, y' ~ 0.120772803247\n"},
  {"rigid_dissip", 3, 3, 2, 0, 0,
   "model rigid_dissip\nparameter I1 = 1, I2 = 2, I3 = 3, al = 1/10\nvariable x, y, z\nequation\n"
   "  x'=y*z/I3-z*y/I2+al*(y*(x*y/I2-y*x/I1)-z*(z*x/I1-x*z/I3))\n"
   "  y'=z*x/I1-x*z/I3+al*(z*(y*z/I3-z*y/I2)-x*(x*y/I2-y*x/I1))\n"
   "  z'=x*y/I2-y*x/I1+al*(x*(z*x/I1-x*z/I3)-y*(y*z/I3-z*y/I2))\ninvariant x^2+y^2+z^2=1\nstart t = 0\n"
   "  x ~ 0.292616202758\n  y ~ 0.501410934585\n  z ~ 0.814225295948\n"},
  {"mhd3", 3, 3, 5, 0, 0,
   "model mhd3\nparameter be = 1, ga = 1\nvariable x, y, z\nequation\n  x''-x*z/3+be*x/3=0\n"
   "  y''-y*z/3-be*y/3+ga*x/3=0\n  z''-z^2-8*y'+be^2=0\n"
   "invariant 4*y^2+3*z*y'+z^3/12-y*z'-z'^2/8-3*be*y'-be^2*z/4+3*ga*x'=0\nstart t = 0\n"
   "  x ~ 0.037577992322, x' ~ 0.015935522403\n  y ~ 0.03149824327, y' ~ -0.032830467446\n"
   "  z ~ 0.391470240721, z' ~ 0.282185020282\n"},
  {"magnetic_particle", 3, 3, 4, 0, 0,
   "model magnetic_particle\nparameter a1 = 4/10, a2 = -57/100\nvariable x, y, z\nequation\n"
   "  x''+x/(x^2+y^2+z^2)^(3/2)+y'=0\n  y''+y/(x^2+y^2+z^2)^(3/2)-x'=0\n  z''+z/(x^2+y^2+z^2)^(3/2)=0\n"
   "invariant (x'^2+y'^2+z'^2)/2-1/sqrt(x^2+y^2+z^2)=a2\ninvariant x*y'-y*x'-(x^2+y^2)/2=a1\n"
   "start t = 0\n  x ~ 1.0021121588, x' ~ 0.002377379284\n  y ~ -0.000211680176, y' ~ 0.900212516779\n"
   "  z ~ 0.100945960573, z' ~ 0.188007820536\n"},
  {"kepler_EL", 2, 2, 2, 0, 0,
   "model kepler_EL\nvariable x, y\nequation\n  x''=-x/(x^2+y^2)^(3/2)\n  y''=-y/(x^2+y^2)^(3/2)\n"
   "invariant (x'^2+y'^2)/2-1/sqrt(x^2+y^2)=-1/2\ninvariant x*y'-y*x'=433/500\nstart t = 0\n"
   "  x ~ 0.499966435338, x' ~ -0.001063080728\n  y ~ -0.001839153631, y' ~ 1.7321201864\n"},
  {"pendulum_E", 3, 3, 1, 3, 2,
   "model pendulum_E\nparameter a = -3/10\nvariable x, y, l\nequation\n  x''+x*l=0\n  y''+y*l+1=0\n"
   "  x^2+y^2=1\ninvariant (x'^2+y'^2)/2+y=a\nstart t = 0\n  x ~ 0.943770235643, x' ~ -0.081789234174\n"
   "  y ~ -0.330602090607, y' ~ -0.233483837528\n  l ~ 0.39180627182\n"},
};

/* not linear in the top jets: differentiated once more */
static const system_check bent[] = {
  {"stiff_pendulum", 3, 3, 4, 1, 0,
   "model stiff_pendulum\nparameter e = 1/10\nvariable x, y, l\nequation\n  x''+x*l=0\n  y''+y*l+1=0\n"
   "  (x^2+y^2)*(e^2*l-1)^2=1\nstart t = 0\n  x ~ 0.849982743188, x' ~ 0, x'' ~ 15.0016762314\n"
   "  y ~ 0.000845293925, y' ~ 0, y'' ~ -0.985081078546\n  l ~ -17.6493891807\n"},
  {"plug_flow", 3, 3, 1, 1, 0,
   "model plug_flow\nparameter R = 4572/100, c1 = 44017/1000, c2 = 35545, c3 = 929940, c4 = 90909/10\n"
   "variable x, y, z\nequation\n  z^2*x'+y^2=0\n  x*y*(R-z)^2*(5/2*log(c1*y-5)+21/2)-c2*x*z-c3*z=0\n"
   "  y*(5/2*R-5/4*z)*log(c1*y-5)+y*(3*R-17/8*z)-(68/5*R+c1*c4)/c1=0\nstart t = 0\n"
   "  x ~ 10.4149426172, x' ~ -7.6696988125\n  y ~ 11.3039543271\n  z ~ 4.08170148359\n"},
  {"impasse", 2, 2, 1, 1, 0,
   "model impasse\nvariable x, y\nequation\n  x'=-1\n  y^2=x\nstart t = 0\n"
   "  x ~ 0.999506595819, x' ~ -1\n  y ~ 0.999753267471\n"},
  {"disguised_pendulum", 3, 3, 2, 3, 2,
   "model disguised_pendulum\nvariable x, y, l\nequation\n  x''+x*l+(x*x''+x'^2+y*y''+y'^2)*l=0\n"
   "  y''+y*l+1+x*x''+x'^2+y*y''+y'^2=0\n  x^2+y^2=1\nstart t = 0\n"
   "  x ~ 0.753644326212, x' ~ -0.075343664264, x'' ~ -0.505259945428\n"
   "  y ~ -0.65728245798, y' ~ -0.086389533753, y'' ~ -0.559343197714\n  l ~ 0.670422277267\n"},
  {"sphere", 1, 1, 1, 0, 0,
   "model sphere\nvariable y\nequation\n  y'^2+y^2+t^2=1\nstart t = 0.3\n"
   "  y ~ 0.499631694762, y' ~ 0.812630401591\n"},
  {"asymptotic", 1, 1, 1, 0, 0,
   "model asymptotic\nvariable y\nequation\n  y^2*y'^2-2*y'+t^2=0\nstart t = 0.5\n"
   "  y ~ 0.499991810888, y' ~ 0.127016585568\n"},
  {"clairaut (general solution, y''=0)", 1, 1, 1, 0, 0,
   "model clairaut\nvariable y\nequation\n  y=t*y'+y'^2\nstart t = 1\n  y ~ 2, y' ~ 1\n"},
  {"brachistochrone (cycloid)", 1, 1, 1, 0, 0,
   "model brachistochrone\nvariable y\nequation\n  y*(1+y'^2)=1\nstart t = 0\n"
   "  y ~ 0.530432226335, y' ~ 0.94087990045\n"},
  {"brachisto_oc", 7, 7, 6, 1, 0,
   "model brachisto_oc\nparameter g = 1\nvariable x, y, v, u, p, q, r\nequation\n  x'=v*sin(u)\n"
   "  y'=v*cos(u)\n  v'=g*cos(u)\n  p'=0\n  q'=0\n  r'=-p*sin(u)-q*cos(u)\n"
   "  v*(p*cos(u)-q*sin(u))-r*g*sin(u)=0\nstart t = 0\n  x ~ 0.006286511055, x' ~ 0.423714323167\n"
   "  y ~ 0.032021132522, y' ~ 0.822361491297\n  v ~ 0.925101210693, v' ~ 0.888942184695\n"
   "  u ~ 0.475765901343\n  p ~ 0.959598810676, p' ~ 0\n  q ~ 0.245170153927, q' ~ 0\n"
   "  r ~ 1.49612651354, r' ~ -0.657456986276\n"},
  {"branch_index (y2=0)", 3, 3, 1, 1, 0,
   "model branch_index\nvariable y1, y2, y3\nequation\n  y1'=y3\n  y2*(1-y2)=0\n  y1*y2+y3*(1-y2)=t\n"
   "start t = 0.5\n  y1 ~ 0.001257302211, y1' ~ 0.5\n  y2 ~ 0\n  y3 ~ 0.5\n"},
};

/* the structure deceives, the system Jacobian is singular: a refusal will do, wrong numbers will not */
static const system_check deceptive[] = {
  {"floating_cap", 2, 2, 1, 1, 0,
   "model floating_cap\nparameter C = 1\nvariable v1, v2\nequation\n  C*(v1'-v2')+v1=sin(t)\n"
   "  C*(v2'-v1')+v2=0\nstart t = 0\n  v1 ~ -0.074055317618\n  v2 ~ 0.074055317618\n"},
  {"transistor_amp", 8, 8, 5, 1, 0,
   "model transistor_amp\n"
   "parameter U = 3/10, r0 = 1, r1 = 9, r2 = 9, r3 = 9, r4 = 9, r5 = 9, r6 = 9, r7 = 9, r8 = 9, r9 = 9, c1"
   " = 1, c2 = 2, c3 = 3, c4 = 4, c5 = 5, al = 99/100, be = 1/1000000, uf = 26/1000\n"
   "variable a, b, c, d, e, f, g, h\nequation\n  c1*(a'-b')=(U-a)/r0\n"
   "  c1*(b'-a')=-b/r1+(6-b)/r2-(1-al)*be*(exp((b-c)/uf)-1)\n  c2*c'=-c/r3+be*(exp((b-c)/uf)-1)\n"
   "  c3*(d'-e')=(6-d)/r4-al*be*(exp((b-c)/uf)-1)\n"
   "  c3*(e'-d')=-e/r5+(6-e)/r6-(1-al)*be*(exp((e-f)/uf)-1)\n  c4*f'=-f/r7+be*(exp((e-f)/uf)-1)\n"
   "  c5*(g'-h')=(6-g)/r8-al*be*(exp((e-f)/uf)-1)\n  c5*(h'-g')=-h/r9\nstart t = 0\n"
   "  a ~ 0.285928382427\n  b ~ 3.06332179299\n  c ~ 2.99914679156\n  d ~ 5.99995226504\n"
   "  e ~ 2.99997574423\n  f ~ 2.99979011372\n  g ~ 5.99999740073\n  h ~ 2.535429e-06\n"},
  {"bcp_pair", 2, 2, 0, 2, 1,
   "model bcp_pair\nparameter et = 1/2\nvariable y, z\nequation\n  y'+t*et*z'+(1+et)*z=sin(t)\n"
   "  y+et*t*z=cos(t)\nstart t = 0.5\n  y ~ 0.637869792588\n  z ~ 0.958851077208\n"},
  {"mixed_pendulum", 3, 3, 2, 3, 2,
   "model mixed_pendulum\nvariable x, y, l\nequation\n  x''+x*l+x^2+y^2-1=0\n  y''+y*l+1+x^2+y^2-1=0\n"
   "  x''+x*l+y''+y*l+1+x^2+y^2-1=0\nstart t = 0\n  x ~ 0.73726353809, x' ~ -0.070619300277\n"
   "  y ~ -0.675605265967, y' ~ -0.077064282655\n  l ~ 0.6865312552\n"},
  {"dense_pencil", 5, 5, 2, 3, 2,
   "model dense_pencil\nvariable a, b, c, d, e\nequation\n"
   "  (3)*a'+(3)*b'+(2)*c'+(4)*d'+(2)*e'+(0)*a+(2)*b+(0)*c+(-2)*d+(1)*e=sin(t)\n"
   "  (2)*a'+(3)*b'+(3)*c'+(2)*d'+(4)*e'+(1)*a+(2)*b+(2)*c+(1)*d+(4)*e=cos(t)\n"
   "  (3)*a'+(1)*b'+(2)*c'+(4)*d'+(3)*e'+(0)*a+(4)*b+(1)*c+(0)*d+(1)*e=t\n"
   "  (3)*a'+(1)*b'+(4)*c'+(5)*d'+(5)*e'+(3)*a+(4)*b+(2)*c+(4)*d+(3)*e=exp(t)\n"
   "  (2)*a'+(2)*b'+(2)*c'+(3)*d'+(2)*e'+(1)*a+(3)*b+(2)*c+(0)*d+(3)*e=t^2\nstart t = 0\n"
   "  a ~ 0.146830739264\n  b ~ 0.437207692459\n  c ~ -0.564792338112\n  d ~ 1.42945897421\n"
   "  e ~ -0.072415354347\n"},
  {"zero_test_trig", 2, 2, 2, 1, 0,
   "model zero_test_trig\nvariable x, y\nequation\n  (sin(y)^2+cos(y)^2-1)*x''+x'+y=0\n  y'=x\n"
   "start t = 0\n  x ~ 0.020939548154, x' ~ -0.031882555979\n  y ~ 0.031882555979\n"},
  {"robot_arm_cg", 5, 5, 0, 5, 6,
   "model robot_arm_cg\nvariable x1, x2, x3, u1, u2\nequation\n"
   "  x1''=2*sin(x3)/(2-cos(x3)^2)*(x1'+x3')^2+x1'^2*sin(x3)*cos(x3)/(2-cos(x3)^2)+(2*x3-x2)*(2/(2"
   "-cos(x3)^2)+2*cos(x3)/(2-cos(x3)^2))+2/(2-cos(x3)^2)*(u1-u2)\n"
   "  x2''=-2*sin(x3)/(2-cos(x3)^2)*(x1'+x3')^2-x1'^2*sin(x3)*cos(x3)/(2-cos(x3)^2)+(2*x3-x2)*(1-3*2/(2"
   "-cos(x3)^2)-2*cos(x3)/(2-cos(x3)^2))-2/(2-cos(x3)^2)*u1+(2/(2-cos(x3)^2)+1)*u2\n"
   "  x3''=-2*sin(x3)/(2-cos(x3)^2)*(x1'+x3')^2-x1'^2*sin(x3)*cos(x3)/(2-cos(x3)^2)+(2*x3-x2)*(2/(2"
   "-cos(x3)^2)-9*cos(x3)/(2-cos(x3)^2))-2*x1'^2*sin(x3)/(2-cos(x3)^2)-sin(x3)*cos(x3)/(2-cos(x3)^2)*(x1'"
   "+x3')^2-(2/(2-cos(x3)^2)+cos(x3)/(2-cos(x3)^2))*(u1-u2)\n"
   "  cos(x1)+cos(x1+x3)=cos(1-exp(t))+cos(1-t)\n  sin(x1)+sin(x1+x3)=sin(1-exp(t))+sin(1-t)\n"
   "start t = 0.3\n  x1 ~ 0.7, x1' ~ -1\n  x2 ~ 1.06518487546, x2' ~ -1.94869916026\n"
   "  x3 ~ -1.04985880758, x3' ~ -0.349858807576\n  u1 ~ -8.26549984051\n  u2 ~ -14.8018118961\n"},
  {"branch_index (y2=1)", 3, 3, 0, 2, 1,
   "model branch_index\nvariable y1, y2, y3\nequation\n  y1'=y3\n  y2*(1-y2)=0\n  y1*y2+y3*(1-y2)=t\n"
   "start t = 0.5\n  y1 ~ 0.5\n  y2 ~ 1\n  y3 ~ 1\n"},
};
/* clang-format on */

static bool right(const ritt_check *c, const system_check *s) {
  /* where the structure overestimates the index it may be left open */
  bool index = c->index == s->index || (c->index == RITT_UNKNOWN && !strcmp(s->name, "reissig5"));
  return !strcmp(c->verdict, "determined") && c->degrees_of_freedom == s->degrees_of_freedom &&
         index && c->hidden_constraints == s->hidden_constraints;
}

/* must: the right numbers and nothing else; otherwise a refusal with its reason is right too. */
static void check(const system_check *s, size_t count, bool must) {
  for (size_t i = 0; i < count; i++, s++) {
    run *r = run_text(s->text);
    const ritt_check *c = NULL;
    if (r->status == RITT_OK) r->status = ritt_model_check(r->model, r->error, &c);
    if (!c) {
      run_complain(r, s->name);
    } else {
      bool refused =
          r->status != RITT_OK && strcmp(c->verdict, "determined") && c->reason && *c->reason;
      CHECK(c->unknowns == s->unknowns && c->equations == s->equations);
      if ((r->status == RITT_OK && right(c, s) && c->kind && !c->reason) || (!must && refused)) {
        checks_passed++;
      } else {
        run_complain(r, s->name);
        printf(
            "  verdict %s (%s), degrees_of_freedom %d, index %d, hidden_constraints %d; expected %d, %d, "
            "%d\n",
            c->verdict, c->reason ? c->reason : "", c->degrees_of_freedom, c->index,
            c->hidden_constraints, s->degrees_of_freedom, s->index, s->hidden_constraints);
      }
    }
    run_free(r);
  }
}
#define CHECK_ALL(list, must) check(list, sizeof list / sizeof *list, must)

/* Files: numbers, and what moved. */
static void test_files(void) {
  static const struct {
    const char *file, *kind;
    int unknowns, equations, degrees_of_freedom, index, hidden_constraints;
    bool moved;
  } file[] = {
      {"classics/pendulum/pendulum", "holonomic", 3, 3, 2, 3, 2, false},
      {"classics/double_pendulum", "holonomic", 6, 6, 4, 3, 4, false},
      {"classics/slider_crank", "holonomic", 5, 5, 2, 3, 4, false},
      {"classics/spherical_pendulum", "holonomic", 4, 4, 4, 3, 2, false},
      {"classics/crane", NULL, 7, 7, 0, 5, 8, true},
      {"classics/nilpotent_chain", NULL, 6, 6, 0, 6, 5, false},
      {"classics/lorenz", "explicit", 3, 3, 3, 0, 0, false},
      {"papers/kepler", NULL, 2, 2, 4, 0, 0, false},
      {"papers/rigid_body", NULL, 3, 3, 2, 0, 0, true},
      {"papers/pendulum_energy", "holonomic", 3, 3, 2, 3, 2, false},
      {"papers/fourbar", "holonomic", 7, 7, 2, 3, 6, true},
      {"papers/mech6", "holonomic", 17, 17, 14, 3, 10, true},
      {"ivp/car_axis", "holonomic", 6, 6, 4, 3, 4, false},
      {"ivp/andrews", "holonomic", 13, 13, 2, 3, 12, false},
  };
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    run *r = run_file(file[i].file, NULL);
    const ritt_check *c = NULL;
    if (r->status == RITT_OK) r->status = ritt_model_check(r->model, r->error, &c);
    if (r->status != RITT_OK || !c) {
      run_complain(r, file[i].file);
    } else {
      int failed = checks_failed;
      CHECK_TEXT(c->model, ritt_model_name(r->model));
      CHECK_TEXT(c->verdict, "determined");
      if (file[i].kind) CHECK_TEXT(c->kind, file[i].kind);
      CHECK(c->unknowns == file[i].unknowns);
      CHECK(c->equations == file[i].equations);
      CHECK(c->degrees_of_freedom == file[i].degrees_of_freedom);
      CHECK(c->index == file[i].index);
      CHECK(c->hidden_constraints == file[i].hidden_constraints);
      CHECK(c->dependent_count == 0 && c->undetermined_count == 0 && c->non_unique_count == 0);
      bool moved = false;
      for (size_t k = 0; k < c->moved_count; k++)
        moved = moved || fabs(c->moved[k].used - c->moved[k].typed) >
                             1e-12 * fmax(1, fabs(c->moved[k].typed));
      CHECK(moved == file[i].moved);
      if (checks_failed > failed) printf("  in %s\n", file[i].file);
    }
    run_free(r);
  }
}

/* What moved is named, with both values: the guess of the rigid body is pulled radially onto its
 * sphere. */
static void test_moved(void) {
  run *r = run_file("papers/rigid_body", NULL);
  const ritt_check *c = NULL;
  static const double typed[] = {0.1204, 0.9631, 0.2408}; /* used: rigid_p0 of the references */
  static const double used[] = {0.120397446999204286, 0.963079578114066841, 0.240794893998408572};
  static const char *const name[] = {"y1", "y2", "y3"};
  if (r->status == RITT_OK) r->status = ritt_model_check(r->model, r->error, &c);
  CHECK(r->status == RITT_OK && c && c->moved_count == 3);
  if (c && c->moved_count == 3)
    for (int i = 0; i < 3; i++) {
      CHECK_TEXT(c->moved[i].name, name[i]);
      CHECK_NEAR(c->moved[i].typed, typed[i], 0);
      CHECK_NEAR(c->moved[i].used, used[i], 1e-14);
    }
  run_free(r);
}

/* Parameters decide: without its resistance the circuit is another system, and set back it is the
 * old one. */
static void test_parameter(void) {
  run *r = run_text(
      "model cap\nparameter r = 1/1000, c = 1\nvariable v, i, vc\nequation\n  v = i*r + vc\n"
      "  i = c*vc'\n  v = 1\n");
  const ritt_check *c = NULL;
  CHECK(ritt_model_check(r->model, r->error, &c) == RITT_OK);
  CHECK(c && c->degrees_of_freedom == 1 && c->index == 1 && c->hidden_constraints == 0);
  run_set(r, "r", "0");
  c = NULL;
  CHECK(ritt_model_check(r->model, r->error, &c) == RITT_OK);
  CHECK(c && c->degrees_of_freedom == 0 && c->index == 2 && c->hidden_constraints == 1);
  run_set(r, "r", "1/1000");
  c = NULL;
  CHECK(ritt_model_check(r->model, r->error, &c) == RITT_OK);
  CHECK(c && c->degrees_of_freedom == 1 && c->index == 1 && c->hidden_constraints == 0);
  run_free(r);
}

int main(void) {
  CHECK_ALL(linear, true);
  CHECK_ALL(invariants, true);
  CHECK_ALL(bent, true);
  CHECK_ALL(deceptive, false);
  test_files();
  test_moved();
  test_parameter();
  return CHECKS_DONE();
}
