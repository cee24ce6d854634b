// The one thing that a kubelet does which `kubectl port-forward` needs: it leads the streams of a pod's port to a port of this
// machine, whatever the pod. Prints the port that it listens on.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"

	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

const protocol = "portforward.k8s.io"

func main() {
	to := flag.String("to", "", "address of this machine where all ports of all pods lead")
	flag.Parse()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate()}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("/portForward/", func(response http.ResponseWriter, request *http.Request) {
		forward(response, request, *to)
	})
	log.Fatal(http.Serve(listener, nil))
}

func forward(response http.ResponseWriter, request *http.Request, to string) {
	if _, err := httpstream.Handshake(request, response, []string{protocol}); err != nil {
		return
	}
	streams := make(chan httpstream.Stream, 1)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(response, request,
		func(stream httpstream.Stream, _ <-chan struct{}) error {
			streams <- stream
			return nil
		})
	if connection == nil {
		return
	}
	defer connection.Close()
	for {
		select {
		case stream := <-streams:
			// The other one of a pair tells of errors: there are none to tell of.
			if stream.Headers().Get("streamType") == "data" {
				go lead(stream, to)
			}
		case <-connection.CloseChan():
			return
		}
	}
}

func lead(stream httpstream.Stream, to string) {
	defer stream.Close()
	target, err := net.Dial("tcp", to)
	if err != nil {
		log.Print(err)
		return
	}
	defer target.Close()
	go func() {
		io.Copy(target, stream)
		target.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(stream, target)
}

// certificate makes one that nobody checks: an API server that is told no authority of kubelets trusts any.
func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	bytes, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{bytes}, PrivateKey: key}
}
