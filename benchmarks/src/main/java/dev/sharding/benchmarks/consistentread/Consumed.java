package dev.sharding.benchmarks.consistentread;

/**
 * What a client, the API server and etcd have consumed.
 *
 * @param bytes of answers that the client got
 * @param clientMillis CPU time of the client
 * @param apiServerMillis CPU time of the API server
 * @param etcdMillis CPU time of etcd
 */
record Consumed(double bytes, double clientMillis, double apiServerMillis, double etcdMillis) {

	/** CPU time of API server and etcd together. */
	double serverMillis() {
		return this.apiServerMillis + this.etcdMillis;
	}

	Consumed plus(Consumed other) {
		return new Consumed(this.bytes + other.bytes, this.clientMillis + other.clientMillis,
				this.apiServerMillis + other.apiServerMillis, this.etcdMillis + other.etcdMillis);
	}

	Consumed minus(Consumed other) {
		return plus(other.dividedBy(-1));
	}

	Consumed dividedBy(double count) {
		return new Consumed(this.bytes / count, this.clientMillis / count, this.apiServerMillis / count,
				this.etcdMillis / count);
	}

}
