import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** HttpPart serve PORT, or HttpPart ask PORT THREADS REQUESTS: prints a number that depends on all answers. */
public class HttpPart {
  public static void main(String[] words) throws Exception {
    int port = Integer.parseInt(words[1]);
    if (words[0].equals("serve")) serve(port);
    else ask(port, Integer.parseInt(words[2]), Integer.parseInt(words[3]));
  }

  static void serve(int port) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 64);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext("/work", exchange -> {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] data = new byte[1024];
        int rounds = Integer.parseInt(exchange.getRequestURI().getQuery());
        for (int i = 0; i < rounds; i++) data = Arrays.copyOf(digest.digest(data), 1024);
        byte[] answer = HexFormat.of().formatHex(digest.digest(data)).getBytes();
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
      } catch (Exception failed) {
        failed.printStackTrace();
      } finally {
        exchange.close();
      }
    });
    server.start();
  }

  static void ask(int port, int threads, int requests) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    var pool = Executors.newFixedThreadPool(threads);
    var sums = new ArrayList<Future<Integer>>();
    for (int t = 0; t < threads; t++)
      sums.add(pool.submit(() -> {
        int sum = 0;
        for (int i = 0; i < requests; i++) {
          var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work?" + (20 + i % 7))).build();
          sum = sum * 31 + client.send(request, HttpResponse.BodyHandlers.ofString()).body().hashCode();
        }
        return sum;
      }));
    int all = 0;
    for (var sum : sums) all += sum.get();
    System.out.println(threads * requests + " requests " + all);
    System.exit(0);
  }
}
