package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// issuer writes certificates and their keys into one folder.
type issuer struct {
	folder string
	serial int64
}

// pair is a certificate with its key.
type pair struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// user is somebody who gets a kubeconfig.
type user struct{ name, url, user, group string }

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %s
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: test
  context:
    cluster: test
    user: %s
current-context: test
`

// keys makes what the programs of a cluster need to know each other: two authorities, the servers' certificates, the
// key that signs the tokens of service accounts, and a kubeconfig for everybody who speaks to the API server.
func keys(args []string) {
	set := flag.NewFlagSet("keys", flag.ExitOnError)
	folder := set.String("dir", "", "folder to write to")
	node := set.String("node", "node", "the node's name")
	address := set.String("node-ip", "", "the node's address")
	service := set.String("service-ip", "", "the address of the Service default/kubernetes")
	inside := set.String("inside", "", "the API server's URL inside the node")
	outside := set.String("outside", "", "the API server's URL on the host")
	set.Parse(args)
	check(os.MkdirAll(*folder, 0o700))
	to := &issuer{*folder, time.Now().UnixNano()}

	authority, front := to.authority("ca"), to.authority("front-proxy-ca")
	to.server("apiserver", authority, "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local", "localhost", "127.0.0.1", "::1", *service, *address)
	to.server("kubelet", authority, *node, "localhost", "127.0.0.1", *address)
	to.client("apiserver-kubelet-client", authority, "kube-apiserver-kubelet-client", "system:masters")
	to.client("front-proxy-client", front, "front-proxy-client")
	to.tokens()
	for _, one := range []user{
		{"admin", *outside, "kubernetes-admin", "system:masters"},
		{"admin-inside", *inside, "kubernetes-admin", "system:masters"},
		{"controller-manager", *inside, "system:kube-controller-manager", ""},
		{"scheduler", *inside, "system:kube-scheduler", ""},
		{"proxy", *inside, "system:kube-proxy", ""},
		{"dns", *inside, "system:coredns", ""},
		{"node", *inside, "system:node:" + *node, "system:nodes"},
	} {
		to.config(authority, one)
	}
}

func (to *issuer) write(name, kind string, der []byte) {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	check(os.WriteFile(filepath.Join(to.folder, name), block, 0o600))
}

// issue signs a template with an authority, or with its own key where there is none.
func (to *issuer) issue(name string, authority *pair, template *x509.Certificate) *pair {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	to.serial++
	template.SerialNumber = big.NewInt(to.serial)
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	parent, signer := template, crypto.Signer(key)
	if authority != nil {
		parent, signer = authority.certificate, authority.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	check(err)
	certificate, err := x509.ParseCertificate(der)
	check(err)
	to.write(name+".crt", "CERTIFICATE", der)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	check(err)
	to.write(name+".key", "PRIVATE KEY", private)
	return &pair{certificate, key}
}

func (to *issuer) authority(name string) *pair {
	return to.issue(name, nil, &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
}

func (to *issuer) client(name string, authority *pair, user string, groups ...string) {
	to.issue(name, authority, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (to *issuer) server(name string, authority *pair, hosts ...string) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	to.issue(name, authority, template)
}

// tokens makes the key that signs the tokens of service accounts.
func (to *issuer) tokens() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	check(err)
	to.write("sa.key", "PRIVATE KEY", private)
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	check(err)
	to.write("sa.pub", "PUBLIC KEY", public)
}

// config makes a user's certificate and the kubeconfig that holds it.
func (to *issuer) config(authority *pair, one user) {
	var groups []string
	if one.group != "" {
		groups = []string{one.group}
	}
	to.client(one.name, authority, one.user, groups...)
	encoded := func(name string) string {
		data, err := os.ReadFile(filepath.Join(to.folder, name))
		check(err)
		return base64.StdEncoding.EncodeToString(data)
	}
	text := fmt.Sprintf(kubeconfig, one.url, encoded("ca.crt"), one.name, encoded(one.name+".crt"),
		encoded(one.name+".key"), one.name)
	check(os.WriteFile(filepath.Join(to.folder, one.name+".kubeconfig"), []byte(text), 0o600))
}
