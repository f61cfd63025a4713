#include <cstdio>
#include "tests/file-system/study.hpp"
#include "tests/support/catch.hpp"
using namespace dpm;
using namespace dpm::test;
TEST_CASE("show", "[.show]") {
  const unsigned n=getenv("SEEDS")?atoi(getenv("SEEDS")):4, s0=getenv("S0")?atoi(getenv("S0")):1; const bool scan=getenv("SCAN");
  std::vector<double> lo(30,1e9),hi(30,-1e9),sum(30,0); int okP=0,okc=0,okm=0,okb=0,okd=0,all=0,peak=0; double sp[8]={},ss[8]={},sq[8]={};
  const double tp[5]={1.65,1.43,1.21,1.07,.95}, tc[4]={30,51,1,18}, tm[4]={27,33,2,38};
  for (unsigned s=s0;s<s0+n;++s){ auto f=measure(s); std::vector<double> v={f.no_delay,f.traced_delay,f.traced,f.alone,f.together,f.simulated_P}; for(auto*m:{&f.cpu_percent,&f.sent_percent,&f.bytes_percent}) for(auto&k:kFour) v.push_back((*m)[k]);
    v.push_back(f.disk_after_request);v.push_back(f.disk_after_disk);v.push_back(f.directory_after_user);v.push_back(f.queue_mean);v.push_back((double)f.events);
    for(size_t i=0;i<v.size();++i){lo[i]=std::min(lo[i],v[i]);hi[i]=std::max(hi[i],v[i]);sum[i]+=v[i]/n;}
    bool P=true,c=true,m=true; for(int i=0;i<5;i++) P&=fabs(v[i]-tp[i])<=.05; for(int i=0;i<4;i++){ c&=fabs(v[6+i]-tc[i])<=3; m&=fabs(v[10+i]-tm[i])<=3;} bool b=fabs(v[18]-.27)<=.03&&fabs(v[20]-.04)<=.03, d=fabs(v[19]-.17)<=.03;
    okP+=P;okc+=c;okm+=m;okb+=b;okd+=d;all+=P&&c&&m&&b&&d;
    if(scan){ int best=0; double bp=0; for(int u=1;u<=7;++u){ auto g=measure(s,{{"users",u}}); sp[u]+=g.traced/n; ss[u]+=g.simulated_P/n; sq[u]+=g.queue_mean/n; if(g.traced>bp){bp=g.traced;best=u;} } peak+=best==4; } }
  for(auto*w:{&lo,&sum,&hi}){ auto&v=*w; printf("%s P %.3f %.3f %.3f %.3f %.3f sim %.3f | cpu %.1f %.1f %.1f %.1f | msg %.1f %.1f %.1f %.1f | by %.1f %.1f %.1f %.1f | br %.3f dd %.3f mu %.3f q %.2f ev %.0f\n",w==&lo?"min":w==&hi?"max":"avg",v[0],v[1],v[2],v[3],v[4],v[5],v[6],v[7],v[8],v[9],v[10],v[11],v[12],v[13],v[14],v[15],v[16],v[17],v[18],v[19],v[20],v[21],v[22]); }
  printf("ok of %u: P %d cpu %d msg %d br,mu %d dd %d all %d",n,okP,okc,okm,okb,okd,all);
  if(scan){ printf(" peak4 %d |",peak); for(int u=1;u<=7;++u) printf(" %.3f/%.3f/%.2f",sp[u],ss[u],sq[u]); } printf("\n");
}
TEST_CASE("speed", "[.speed]") { auto f=measure(1,{{"requests",1000}}); printf("m/s %.0f P %.3f\n",f.messages_per_wall_second,f.traced);}
TEST_CASE("scan", "[.scan]") { for(int u=1;u<=7;++u){ double P=0,t=0,q=0; const int n=getenv("SEEDS")?atoi(getenv("SEEDS")):4; for(int s=1;s<=n;++s){ auto f=measure(s,{{"users",u}}); P+=f.traced/n;t+=f.simulated_P/n;q+=f.queue_mean/n;} printf("n %d P %.3f sim %.3f q %.2f\n",u,P,t,q);} }
TEST_CASE("matrix", "[.matrix]") {
  for (double ob : {0.,1.}) for (double u : {2.,4.,7.}) { double mean=0,worst=0,id=0,big=0; int c=0;
   for (unsigned s=1;s<=5;++s){ std::vector<TracedRun> r; for(auto p:{"A","B","C"}) r.push_back(trace(p,s,{{"users",u},{"oblivious",ob}}));
    for(int i=0;i<3;i++)for(int j=0;j<3;j++){ double e=predicted_P(r[i],r[j].scenario)/r[j].P-1; if(i!=j&&ob>0) big=std::max(big,fabs(e)); if(i==j) id=std::max(id,fabs(e)); else {mean+=fabs(e);c++;worst=std::max(worst,fabs(e));} } }
   printf("big %.2e ",big); printf("ob %.0f users %.0f id %.2e mean %.4f%% worst %.4f%%\n",ob,u,id,100*mean/c,100*worst);} }
TEST_CASE("m4", "[.m4]") {
  auto env=[](const char*n,double d){ return getenv(n)?atof(getenv(n)):d; };
  double u=env("U",4), ns=env("NS",3); double mean=0,worst=0; int c=0;
   for (unsigned s=1;s<=ns;++s){ std::vector<TracedRun> r; for(auto p:{"A","B","C"}) r.push_back(trace(p,s,{{"users",u},{"slots",env("SLOTS",3)},{"buffers",env("BUF",176)},{"requests",env("REQ",146)},{"random_blocks",env("RB",58)}}));
    for(int i=0;i<3;i++){ double T=r[i].P*r[i].truth.makespan_all.seconds(); double d=0; for(auto&p:r[i].truth.processes) if(p.name=="disk") d=p.messages_sent; printf("  T %.4f el %.4f disk %.0f:",T,r[i].truth.makespan_all.seconds(),d); for(int j=0;j<3;j++){ double e=predicted_P(r[i],r[j].scenario)/r[j].P-1; printf(" %+.3f%%",100*e); if(i!=j) {mean+=fabs(e);c++;worst=std::max(worst,fabs(e));} } printf("\n"); } }
   printf("U %.0f mean %.3f%% worst %.3f%%\n",u,100*mean/c,100*worst); }
