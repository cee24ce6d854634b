package dev.sharding.shard;

/**
 * Changes what is common to all controllers. Define beans of this type; they are asked in
 * their order.
 */
@FunctionalInterface
public interface RuntimeOptionsCustomizer {

	/**
	 * Changes the options.
	 * @param options what the properties and other customizers have made of them
	 * @return the options to use
	 */
	RuntimeOptions customize(RuntimeOptions options);

}
