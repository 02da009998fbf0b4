package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ptah.run/interop/contract"
)

// figures of one host with one provider; times are medians in seconds.
type figures struct {
	Start    float64            `json:"start"`
	Unary    map[string]float64 `json:"unary"`
	Callers  float64            `json:"callers_16_per_second"`
	Large    float64            `json:"reply_64_mib"`
	HostRSS  uint64             `json:"host_peak_bytes"`
	OtherRSS uint64             `json:"provider_peak_bytes"`
}

const (
	starts     = 20
	calls      = 400
	callers    = 16
	perCaller  = 200
	largeCalls = 5
)

// measure takes the figures. A query is a number of bytes, and its answer one value of that size.
func measure(executable, engine, address, folder string) error {
	found := figures{Unary: map[string]float64{}}
	var took []float64
	for range starts {
		began := time.Now()
		client, provider, err := start(executable, folder)
		if err != nil {
			return err
		}
		if _, err := provider.Describe(context.Background(), describeRequest()); err != nil {
			return err
		}
		took = append(took, time.Since(began).Seconds())
		client.Kill()
	}
	found.Start = median(took)

	client, provider, err := start(executable, folder)
	if err != nil {
		return err
	}
	defer client.Kill()
	ctx := context.Background()
	if _, err := provider.Describe(ctx, describeRequest()); err != nil {
		return err
	}
	session, err := provider.Open(ctx, &contract.OpenRequest{
		RequestId: "open",
		Engine:    engine,
		Target:    &contract.OpenRequest_Address{Address: address},
		Purpose:   contract.Purpose_PURPOSE_READ,
	})
	if err != nil {
		return err
	}
	ask := func(size int) (time.Duration, error) {
		began := time.Now()
		reply, err := provider.QueryRows(ctx, &contract.QueryRowsRequest{SessionId: session.SessionId, Query: strconv.Itoa(size), Limit: 1})
		if err == nil && len(reply.Rows[0].Cells[0].GetValue()) != size {
			err = fmt.Errorf("a reply is not of the size that was asked for")
		}
		return time.Since(began), err
	}
	for name, size := range map[string]int{"0": 0, "1024": 1 << 10, "65536": 64 << 10} {
		if found.Unary[name], err = several(calls, size, ask); err != nil {
			return err
		}
	}
	if found.Callers, err = together(ask); err != nil {
		return err
	}
	// A message of 64 MiB is a little more than its value.
	if found.Large, err = several(largeCalls, 64<<20-64, ask); err != nil {
		return err
	}
	found.HostRSS, found.OtherRSS = peak("self"), peak(strconv.Itoa(client.ReattachConfig().Pid))
	return json.NewEncoder(os.Stdout).Encode(found)
}

func several(count, size int, ask func(int) (time.Duration, error)) (float64, error) {
	var took []float64
	for at := range count + count/10 {
		one, err := ask(size)
		if err != nil {
			return 0, err
		}
		if at >= count/10 {
			took = append(took, one.Seconds())
		}
	}
	return median(took), nil
}

// together has many callers at once; the answer is calls for each second.
func together(ask func(int) (time.Duration, error)) (float64, error) {
	var group sync.WaitGroup
	failed := make(chan error, callers)
	began := time.Now()
	for range callers {
		group.Add(1)
		go func() {
			defer group.Done()
			for range perCaller {
				if _, err := ask(0); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	group.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return callers * perCaller / time.Since(began).Seconds(), nil
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// peak is the most memory that a process had at once.
func peak(process string) uint64 {
	status, _ := os.ReadFile("/proc/" + process + "/status")
	for _, line := range strings.Split(string(status), "\n") {
		if kib, found := strings.CutPrefix(line, "VmHWM:"); found {
			count, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(kib, "kB")), 10, 64)
			return count * 1024
		}
	}
	return 0
}
