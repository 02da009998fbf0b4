package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"
)

// descriptor is how one part of an image names another.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// archive is an image in the layout that containerd imports.
type archive struct{ files []file }

type file struct {
	name string
	data []byte
}

// image writes an image of one layer, the files under a folder, owned by root and dated 1970: the same files give the
// same image.
func image(args []string) {
	set := flag.NewFlagSet("image", flag.ExitOnError)
	name := set.String("name", "", "NAME:TAG")
	out := set.String("out", "", "the file to write")
	user := set.String("user", "", "UID[:GID] to run as")
	var entrypoint, env []string
	set.Func("entrypoint", "one word of the entry point (again for more)", func(word string) error {
		entrypoint = append(entrypoint, word)
		return nil
	})
	set.Func("env", "NAME=VALUE (again for more)", func(word string) error {
		env = append(env, word)
		return nil
	})
	set.Parse(args)

	config := map[string]any{}
	config["Env"] = append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, env...)
	if len(entrypoint) > 0 {
		config["Entrypoint"] = entrypoint
	}
	if *user != "" {
		config["User"] = *user
	}
	full := fullName(*name)
	var made archive
	made.assemble(full, layer(set.Arg(0)), config)
	made.write(*out)
	fmt.Println(full)
}

// fullName is the name under which the kubelet's runtime looks an image up.
func fullName(name string) string {
	if slash, colon := strings.LastIndex(name, "/"), strings.LastIndex(name, ":"); colon <= slash {
		name += ":latest"
	}
	first, _, found := strings.Cut(name, "/")
	switch {
	case !found:
		return "docker.io/library/" + name
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		return "docker.io/" + name
	}
	return name
}

// layer is the folder as one archive, in the order of its paths.
func layer(root string) []byte {
	var paths []string
	check(filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != root {
			paths = append(paths, path)
		}
		return err
	}))
	sort.Strings(paths)
	var buffer bytes.Buffer
	to := tar.NewWriter(&buffer)
	for _, path := range paths {
		entry(to, root, path)
	}
	check(to.Close())
	return buffer.Bytes()
}

// entry writes one file, folder or link, without what differs between machines.
func entry(to *tar.Writer, root, path string) {
	info, err := os.Lstat(path)
	check(err)
	link := ""
	if info.Mode()&os.ModeSymlink != 0 {
		link, err = os.Readlink(path)
		check(err)
	}
	header, err := tar.FileInfoHeader(info, link)
	check(err)
	header.Name, err = filepath.Rel(root, path)
	check(err)
	if info.IsDir() {
		header.Name += "/"
	}
	header.Uid, header.Gid, header.Uname, header.Gname = 0, 0, "", ""
	header.ModTime, header.AccessTime, header.ChangeTime = time.Unix(0, 0), time.Time{}, time.Time{}
	check(to.WriteHeader(header))
	if info.Mode().IsRegular() {
		from, err := os.Open(path)
		check(err)
		_, err = io.Copy(to, from)
		check(err)
		check(from.Close())
	}
}

// assemble puts the parts of the image together, each under its digest.
func (a *archive) assemble(name string, layer []byte, config map[string]any) {
	bottom := a.add("application/vnd.oci.image.layer.v1.tar", layer)
	top := a.add("application/vnd.oci.image.config.v1+json", encode(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       config,
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{bottom.Digest}},
	}))
	manifest := a.add("application/vnd.oci.image.manifest.v1+json", encode(map[string]any{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        top,
		"layers":        []descriptor{bottom},
	}))
	manifest.Annotations = map[string]string{
		"io.containerd.image.name":          name,
		"org.opencontainers.image.ref.name": name[strings.LastIndex(name, ":")+1:],
	}
	a.files = append(a.files,
		file{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		file{"index.json", encode(map[string]any{
			"schemaVersion": 2,
			"mediaType":     "application/vnd.oci.image.index.v1+json",
			"manifests":     []descriptor{manifest},
		})})
}

func (a *archive) add(kind string, data []byte) descriptor {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	a.files = append(a.files, file{"blobs/sha256/" + digest, data})
	return descriptor{MediaType: kind, Digest: "sha256:" + digest, Size: int64(len(data))}
}

func (a *archive) write(path string) {
	out, err := os.Create(path)
	check(err)
	to := tar.NewWriter(out)
	for _, one := range a.files {
		header := &tar.Header{Name: one.name, Mode: 0o644, Size: int64(len(one.data)), ModTime: time.Unix(0, 0)}
		check(to.WriteHeader(header))
		_, err := to.Write(one.data)
		check(err)
	}
	check(to.Close())
	check(out.Close())
}

func encode(value any) []byte {
	data, err := json.Marshal(value)
	check(err)
	return data
}
