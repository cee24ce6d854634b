package dev.sharding.internal.core;

import java.time.Clock;
import java.time.InstantSource;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * What makes the core pure.
 */
final class CoreRules {

	/** The laws, and what the door has of them. */
	static final String[] PACKAGES = { "dev.sharding.internal.core", "dev.sharding.cache", "dev.sharding.protocol",
			"dev.sharding.qos.spi" };

	private static final String[] CORE = { "dev.sharding.internal.core..", "dev.sharding.cache",
			"dev.sharding.protocol", "dev.sharding.qos.spi" };

	/**
	 * Whatever is not listed here is out: files, sockets, executors, loggers, fabric8,
	 * Spring.
	 */
	static final ArchRule ONLY_VALUES = classes().that()
		.resideInAnyPackage(CORE)
		.should()
		.onlyDependOnClassesThat(resideInAnyPackage(CORE)
			.or(resideInAnyPackage("java.lang", "java.lang.invoke", "java.lang.runtime", "java.lang.annotation",
					"java.math", "java.nio.charset", "java.time", "java.time.temporal", "java.util",
					"java.util.function", "java.util.regex", "java.util.stream", "org.jspecify.annotations",
					"com.dynatrace.hash4j.hashing"))
			.or(primitives()));

	/** The packages above still hold threads, the process and its environment. */
	static final ArchRule NO_THREADS = noClasses().that()
		.resideInAnyPackage(CORE)
		.should()
		.dependOnClassesThat(belongToAnyOf(Thread.class, ThreadLocal.class, ThreadGroup.class, Timer.class,
				Process.class, ProcessBuilder.class, Runtime.class));

	/** Time is an argument. */
	static final ArchRule NO_CLOCK = noClasses().that()
		.resideInAnyPackage(CORE)
		.should()
		.dependOnClassesThat(belongToAnyOf(System.class, Clock.class, InstantSource.class))
		.orShould()
		.callMethodWhere(describe("a clock is read", (JavaCall<?> call) -> call.getName().equals("now")
				&& call.getTargetOwner().getPackageName().startsWith("java.time")));

	/** Chance is an argument. */
	static final ArchRule NO_CHANCE = noClasses().that()
		.resideInAnyPackage(CORE)
		.should()
		.dependOnClassesThat(belongToAnyOf(Random.class, SplittableRandom.class, UUID.class))
		.orShould()
		.callMethod(Math.class, "random");

	/** The words that all share know nothing of the rooms. */
	static final ArchRule ROOT_BELOW_ROOMS = noClasses().that()
		.resideInAPackage("dev.sharding.protocol")
		.should()
		.dependOnClassesThat(resideInAPackage("dev.sharding.internal.."));

	private CoreRules() {
	}

	static ArchRule noCyclesBelow(String root) {
		return slices().matching(root + ".(*)..").should().beFreeOfCycles();
	}

	private static DescribedPredicate<JavaClass> primitives() {
		return describe("primitives", (type) -> type.getBaseComponentType().isPrimitive());
	}

}
