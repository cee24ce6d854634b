package dev.sharding.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * One shard of the checksum controller.
 */
@SpringBootApplication
public class ChecksumApplication {

	public static void main(String[] args) {
		SpringApplication.run(ChecksumApplication.class, args);
	}

}
