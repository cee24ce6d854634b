package dev.sharding.internal.autoconfigure.runtime;

import dev.sharding.internal.sharder.ElectedSharder;

/**
 * The sharder in this application.
 */
final class SharderPart implements Part {

	private final ElectedSharder sharder;

	SharderPart(ElectedSharder sharder) {
		this.sharder = sharder;
	}

	@Override
	public String name() {
		return "sharder";
	}

	@Override
	public boolean start() {
		this.sharder.start();
		return true;
	}

	@Override
	public void stop() {
		this.sharder.close();
	}

	ElectedSharder sharder() {
		return this.sharder;
	}

}
