package dev.sharding.test.spring;

import org.springframework.boot.SpringApplication;

/**
 * Starts an application as a developer does.
 */
final class DevelopedApplication {

	private DevelopedApplication() {
	}

	public static void main(String[] args) {
		SpringApplication.from(CopyMain::main).with(DevelopmentCluster.class).run(args);
	}

	/** The main class of the application. */
	static final class CopyMain {

		private CopyMain() {
		}

		public static void main(String[] args) {
			SpringApplication.run(CopyApplication.class, args);
		}

	}

}
