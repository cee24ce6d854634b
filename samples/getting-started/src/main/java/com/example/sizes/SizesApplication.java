package com.example.sizes;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class SizesApplication {

	public static void main(String[] args) {
		SpringApplication.run(SizesApplication.class, args);
	}

}
