package dev.sharding.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContext;

import dev.sharding.shard.ApplicationExit;

/**
 * Closes the application context and exits.
 */
final class ContextExit implements ApplicationExit {

	private static final Logger logger = LoggerFactory.getLogger(ContextExit.class);

	private final ApplicationContext context;

	ContextExit(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void begin(String reason) {
		logger.error("Ending the application: {}", reason);
		// Closing the context stops the thread that is asking.
		new Thread(() -> System.exit(SpringApplication.exit(this.context, () -> 1)), "sharding-exit").start();
	}

}
