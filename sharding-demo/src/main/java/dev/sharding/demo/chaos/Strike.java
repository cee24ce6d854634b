package dev.sharding.demo.chaos;

/** Does one kind of thing: strikes, lasts, and ends. */
interface Strike {

	/** Returns when it is over. */
	void run() throws Exception;

}
