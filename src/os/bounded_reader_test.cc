#include "os/bounded_reader.h"

#include <gtest/gtest.h>

#include "os/pipe.h"

namespace schedlab::os {
namespace {

TEST(BoundedReader, KeepsWhatComesUntilTheEnd) {
  BoundedReader reader("stdout", 100);
  EXPECT_EQ(reader.fd(), -1);
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe) << pipe.error().message;
  reader.read_from(std::move(pipe->read_end));
  reader.read_available();
  EXPECT_GE(reader.fd(), 0) << "nothing there yet is not the end";
  write_all(pipe->write_end.get(), "abc");
  reader.read_available();
  write_all(pipe->write_end.get(), "def");
  pipe->write_end.reset();
  reader.read_available();
  EXPECT_EQ(reader.fd(), -1);
  EXPECT_FALSE(reader.overflowed());
  EXPECT_EQ(reader.take(), "abcdef");
}

TEST(BoundedReader, ExactlyTheLimitIsNotTooMuch) {
  BoundedReader reader("stdout", 3);
  auto pipe = Pipe::open();
  reader.read_from(std::move(pipe->read_end));
  write_all(pipe->write_end.get(), "abc");
  reader.read_available();
  EXPECT_FALSE(reader.overflowed());
  write_all(pipe->write_end.get(), "d");
  reader.read_available();
  EXPECT_TRUE(reader.overflowed());
  EXPECT_EQ(reader.fd(), -1);
  EXPECT_EQ(reader.overflow_text(), "it wrote more than 3 bytes to stdout and was stopped");
  EXPECT_EQ(reader.take(), "abc");
}

}  // namespace
}  // namespace schedlab::os
