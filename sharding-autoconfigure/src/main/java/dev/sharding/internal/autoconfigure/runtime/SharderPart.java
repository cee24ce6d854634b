package dev.sharding.internal.autoconfigure.runtime;

import dev.sharding.internal.sharder.ElectedSharder;

/**
 * The sharder in this application.
 */
public final class SharderPart implements Part {

	private final ElectedSharder sharder;

	public SharderPart(ElectedSharder sharder) {
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

	public ElectedSharder sharder() {
		return this.sharder;
	}

}
