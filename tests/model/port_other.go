//go:build !unix

package model

import (
	"errors"
	"net"
)

func reservePort() (addr string, release func(), err error) {
	return "", nil, errors.New("ports are shared by those who ask for it on a unix only: run the model there")
}

func listenShared(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }
