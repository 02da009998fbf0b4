package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// listen opens ADDR, writes its port to FILE and becomes COMMAND, which has the listening socket as its descriptor 3.
// The socket stays in the network that it was opened in, wherever COMMAND goes.
func listen(args []string) {
	if len(args) < 4 || args[2] != "--" {
		check(fmt.Errorf("usage: cluster-tool listen ADDR FILE -- COMMAND [ARGUMENT]..."))
	}
	listener, err := net.Listen("tcp", args[0])
	check(err)
	port := listener.Addr().(*net.TCPAddr).Port
	check(os.WriteFile(args[1], []byte(strconv.Itoa(port)+"\n"), 0o644))
	file, err := listener.(*net.TCPListener).File()
	check(err)
	path, err := exec.LookPath(args[3])
	check(err)
	check(syscall.Dup3(int(file.Fd()), 3, 0))
	check(syscall.SetNonblock(3, true))
	check(syscall.Exec(path, args[3:], os.Environ()))
}

// forward accepts on the inherited descriptor 3 and passes each connection on to TO, which it dials in the network that
// it runs in itself.
func forward(args []string) {
	if len(args) != 1 {
		check(fmt.Errorf("usage: cluster-tool forward TO 3<listening socket"))
	}
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	check(err)
	for {
		from, err := listener.Accept()
		check(err)
		go pass(from, args[0])
	}
}

// pass carries one connection in both directions until both sides have closed theirs.
func pass(from net.Conn, address string) {
	defer from.Close()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	done := make(chan struct{})
	go func() {
		io.Copy(to, from)
		to.(*net.TCPConn).CloseWrite()
		close(done)
	}()
	io.Copy(from, to)
	from.(*net.TCPConn).CloseWrite()
	<-done
}
