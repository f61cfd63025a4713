// Clients and servers as goroutines over TCP, UNIX sockets and UDP, busy loops that the runtime must preempt by signals,
// and a child program. Prints sums that do not depend on the order of things; exits with 4. Between the first time and the
// last, all is done again until there is a file `struck`.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const clients, rounds = 16, 40

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func serve(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer connection.Close()
			_, err := io.Copy(connection, connection)
			must(err)
		}()
	}
}

func echoSum(network, address string) int64 {
	listener, err := net.Listen(network, address)
	must(err)
	go serve(listener)
	var sum int64
	var all sync.WaitGroup
	for client := 0; client < clients; client++ {
		all.Add(1)
		go func(client int) {
			defer all.Done()
			connection, err := net.Dial(network, listener.Addr().String())
			must(err)
			defer connection.Close()
			room := make([]byte, 1000)
			for round := 0; round < rounds; round++ {
				_, err = connection.Write(room[:1+(client*rounds+round)%1000])
				must(err)
				n, err := io.ReadFull(connection, room[:1+(client*rounds+round)%1000])
				must(err)
				atomic.AddInt64(&sum, int64(n))
			}
		}(client)
	}
	all.Wait()
	listener.Close()
	return sum
}

func datagrams() int {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(err)
	go func() {
		room := make([]byte, 1000)
		for {
			n, from, err := server.ReadFrom(room)
			if err != nil {
				return
			}
			server.WriteTo(room[:n], from)
		}
	}()
	connection, err := net.Dial("udp", server.LocalAddr().String())
	must(err)
	room, sum := make([]byte, 1000), 0
	for i := 0; i < 200; i++ {
		connection.Write(room[:i])
		n, err := connection.Read(room)
		must(err)
		sum += n
	}
	connection.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	_, err = connection.Read(room)
	if !os.IsTimeout(err) {
		must(fmt.Errorf("a deadline passes unnoticed: %v", err))
	}
	server.Close()
	return sum
}

func everything(folder string) string {
	tcp := echoSum("tcp", "127.0.0.1:0")
	unix := echoSum("unix", filepath.Join(folder, "socket"))
	output, err := exec.Command("/bin/echo", "a", "program").Output()
	must(err)
	return fmt.Sprintf("tcp: %d, unix: %d, udp: %d, child: %s", tcp, unix, datagrams(), output)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func main() {
	folder, err := os.MkdirTemp("", "go_program")
	must(err)
	defer os.RemoveAll(folder)
	stop := make(chan struct{})
	go func() { // never yields by itself
		for i := 0; ; i++ {
			if i%1000000 == 0 {
				select {
				case <-stop:
					return
				default:
				}
			}
		}
	}()
	first := everything(folder)
	fmt.Print(first)
	must(os.WriteFile("progress", nil, 0o644))
	for last := false; !last; {
		last = exists("struck")
		if again := everything(folder); again != first {
			fmt.Print("another time: ", again)
			os.Exit(1)
		}
	}
	close(stop)
	os.RemoveAll(folder)
	os.Exit(4)
}
