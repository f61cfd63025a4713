#include <cstdio>
#include "tests/file-system/study.hpp"
#include "tests/support/catch.hpp"
using namespace dpm;
using namespace dpm::test;
TEST_CASE("show", "[.show]") {
  const char* from=getenv("SEEDS"); const unsigned n=from?atoi(from):4;
  for (unsigned s=1;s<=n;++s){ auto f=measure(s); auto g=[&](auto&m){for(auto&k:kFour) printf(" %.1f",m[k]);};
   printf("P %.3f %.3f %.3f %.3f %.3f sim %.3f | cpu",f.no_delay,f.traced_delay,f.traced,f.alone,f.together,f.simulated_P); g(f.cpu_percent); printf(" | msg"); g(f.sent_percent); printf(" | by"); g(f.bytes_percent); printf(" | br %.3f dd %.3f mu %.3f q %.2f ev %lu m/s %.0f\n",f.disk_after_request,f.disk_after_disk,f.directory_after_user,f.queue_mean,f.events,f.messages_per_wall_second);}
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
