// example is what the Pods of the trial run: it says who it is to the API server with its own token, and exits or goes on
// serving.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	start := time.Now()
	if len(os.Args) > 1 && os.Args[1] == "get" {
		r, err := http.Get(os.Args[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		io.Copy(os.Stdout, r.Body)
		return
	}
	const dir = "/var/run/secrets/kubernetes.io/serviceaccount/"
	token, err := os.ReadFile(dir + "token")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	ca, _ := os.ReadFile(dir + "ca.crt")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	url := "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	request, _ := http.NewRequest("POST", url+"/apis/authentication.k8s.io/v1/selfsubjectreviews",
		strings.NewReader(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`))
	request.Header.Set("Authorization", "Bearer "+string(token))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	body, _ := io.ReadAll(response.Body)
	fmt.Println(url, response.Status, time.Since(start).Round(time.Millisecond))
	fmt.Println(string(body))
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello from", os.Getenv("HOSTNAME")) })
		fmt.Println(http.ListenAndServe(":8080", nil))
	}
}
