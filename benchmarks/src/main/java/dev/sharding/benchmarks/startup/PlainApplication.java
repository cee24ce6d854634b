package dev.sharding.benchmarks.startup;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Web and Actuator, and nothing of ours on the class path. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class PlainApplication {

	/** Runs until it is killed. */
	public static void main(String[] args) {
		SpringApplication.run(PlainApplication.class, args);
	}

}
