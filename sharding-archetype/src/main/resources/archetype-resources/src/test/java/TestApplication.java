package ${package};

import dev.sharding.test.spring.DevelopmentCluster;
import org.springframework.boot.SpringApplication;

/** Runs the application on a cluster of its own: mvn spring-boot:test-run. */
class TestApplication {

	public static void main(String[] args) {
		SpringApplication.from(Application::main).with(DevelopmentCluster.class).run(args);
	}

}
