//go:build !race

package model

var usual = share{histories: sampled, cli: 3, mechanism: 6}
