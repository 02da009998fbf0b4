package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// wait asks the API server for each PATH, as the administrator, until it answers 200. Only then it asks for the next.
// It gives up after SECONDS and says what the last answer was.
func wait(args []string) {
	if len(args) < 4 {
		check(fmt.Errorf("usage: cluster-tool wait SECONDS KEYS URL PATH..."))
	}
	patience, err := time.ParseDuration(args[0] + "s")
	check(err)
	client := administrator(args[1])
	end := time.Now().Add(patience)
	for _, path := range args[3:] {
		url := strings.TrimSuffix(args[2], "/") + path
		for said := ask(client, url); said != nil; said = ask(client, url) {
			if time.Now().After(end) {
				check(fmt.Errorf("%s: %w", path, said))
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// administrator is a client with the administrator's certificate from a folder that keys wrote.
func administrator(folder string) *http.Client {
	own, err := tls.LoadX509KeyPair(filepath.Join(folder, "admin.crt"), filepath.Join(folder, "admin.key"))
	check(err)
	authority, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	check(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	config := &tls.Config{RootCAs: trusted, Certificates: []tls.Certificate{own}}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}, Timeout: 5 * time.Second}
}

// ask is nothing if the answer is 200.
func ask(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}
