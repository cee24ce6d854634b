package dev.sharding.test.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;

import dev.sharding.shard.ApplicationExit;

/**
 * Ends an application under test as the default does, but for the JVM, which is that of
 * the tests.
 */
final class TestExit implements ApplicationExit {

	private static final Logger logger = LoggerFactory.getLogger(TestExit.class);

	private final ConfigurableApplicationContext context;

	TestExit(ConfigurableApplicationContext context) {
		this.context = context;
	}

	@Override
	public void begin(String reason) {
		logger.error("Closing the application under test: {}", reason);
		// Closing the context stops the thread that is asking.
		new Thread(this.context::close, "sharding-test-exit").start();
	}

}
