package dev.sharding.demo;

import dev.sharding.test.ApiServer;
import dev.sharding.test.TcpProxy;

/** Gives shards networks that can be disturbed one by one. */
final class Links {

	private Links() {
	}

	/**
	 * A shard whose renewals go over one link and whose lists and watches go over
	 * another, while its writes have nothing between.
	 */
	static Role of(Role role, TcpProxy lease, TcpProxy reads, ApiServer server) {
		return role.through(lease)
			.with("DEMO_READ_PORT", String.valueOf(reads.port()))
			.with("DEMO_WRITE_PORT", String.valueOf(server.port()));
	}

}
