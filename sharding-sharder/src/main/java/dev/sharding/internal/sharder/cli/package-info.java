/**
 * {@code kubectl sharding}: a command line for those who run rings. It reads by pages and
 * metadata only, lets {@code diagnosis} decide, and prints. The program starts it when
 * its first argument is {@value dev.sharding.internal.sharder.cli.ShardingCommand#NAME},
 * without Spring.
 */
@NullMarked
package dev.sharding.internal.sharder.cli;

import org.jspecify.annotations.NullMarked;
