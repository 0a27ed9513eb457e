# Thin: every target is one or two commands that a person could type.
.PHONY: all build demo test asan tsan tidy bench install clean
PREFIX ?= /usr/local
DESTDIR ?=

all: build

build:
	@tools/setup.sh build
	cmake --preset release -DSCHEDLAB_BUILD_TESTS=OFF -DSCHEDLAB_BUILD_BENCH=OFF --log-level=WARNING
	cmake --build --preset release --target schedlab
	strip -o build/schedlab build/release/src/cli/schedlab

demo: build
	tools/demo.sh build/schedlab

test: build
	@tools/setup.sh all
	cmake --workflow --preset check

asan:
	@tools/setup.sh all
	cmake --workflow --preset asan

tsan:
	@tools/setup.sh all
	cmake --workflow --preset tsan

tidy:
	@tools/setup.sh lint
	cmake --preset tidy && cmake --build --preset tidy

bench:
	@tools/setup.sh all
	cmake --preset release -DSCHEDLAB_BUILD_TESTS=OFF -DSCHEDLAB_BUILD_BENCH=ON --log-level=WARNING
	cmake --build --preset release --target core_bench stats_bench sequential_bench
	build/release/bench/core_bench
	build/release/bench/stats_bench
	build/release/bench/sequential_bench

install: build
	install -D -m 755 build/schedlab $(DESTDIR)$(PREFIX)/bin/schedlab

clean:
	rm -rf build
