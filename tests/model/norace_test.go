//go:build !race

package model

var usual = share{histories: 2000, cli: 5, mechanism: 6}
