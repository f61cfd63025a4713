%% ring:main([Nodes, Rounds]): each node passes the token on to the next over a TCP connection.
-module(ring).
-export([main/1]).

main([Nodes, Rounds]) ->
  N = number(Nodes), M = number(Rounds), Self = self(),
  Ports = [begin {ok, L} = gen_tcp:listen(0, [binary, {packet, 4}, {active, false}, {ip, {127, 0, 0, 1}}]),
                 {ok, P} = inet:port(L), {L, P} end || _ <- lists:seq(1, N)],
  Next = tl(Ports) ++ [hd(Ports)],
  Pids = [spawn(fun() -> node_of(L, P, M, Self) end) || {{L, _}, {_, P}} <- lists:zip(Ports, Next)],
  [receive {ready, Pid} -> ok end || Pid <- Pids],
  hd(Pids) ! start,
  [Pid ! pass || Pid <- tl(Pids)],
  receive {done, Token} -> io:format("~p nodes, ~p rounds, token ~p~n", [N, M, Token]) end,
  halt(0).

number(Word) -> list_to_integer(atom_to_list(Word)).

node_of(Listener, Port, Rounds, Main) ->
  {ok, To} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, 4}, {active, false}, {nodelay, true}]),
  {ok, From} = gen_tcp:accept(Listener),
  Main ! {ready, self()},
  receive
    start -> ok = gen_tcp:send(To, <<0:64>>), first(From, To, Rounds, Main);
    pass -> pass(From, To)
  end.

first(From, To, Rounds, Main) ->
  {ok, <<K:64, _/binary>>} = gen_tcp:recv(From, 0),
  case Rounds of
    1 -> Main ! {done, K};
    _ -> ok = gen_tcp:send(To, <<(K + 1):64, (binary:copy(<<"r">>, K rem 500))/binary>>), first(From, To, Rounds - 1, Main)
  end.

pass(From, To) ->
  case gen_tcp:recv(From, 0) of
    {ok, <<K:64, Rest/binary>>} -> ok = gen_tcp:send(To, <<(K + 1):64, Rest/binary>>), pass(From, To);
    _ -> ok
  end.
