package dev.sharding.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tells whether a test class or method asks for a {@link ControlPlane}, thus cannot run
 * in a cluster of the user: a method by its parameters, a class by those of its
 * constructors and life-cycle methods.
 */
final class NeedsOurs {

	private static final List<Class<? extends Annotation>> LIFE_CYCLE = List.of(BeforeAll.class, BeforeEach.class,
			AfterEach.class, AfterAll.class);

	private NeedsOurs() {
	}

	static boolean test(AnnotatedElement element) {
		if (element instanceof Method method) {
			return asks(method);
		}
		if (element instanceof Class<?> type) {
			Stream<Method> lifeCycle = Arrays.stream(type.getDeclaredMethods())
				.filter((method) -> LIFE_CYCLE.stream().anyMatch(method::isAnnotationPresent));
			return Stream.concat(Arrays.stream(type.getDeclaredConstructors()), lifeCycle).anyMatch(NeedsOurs::asks);
		}
		return false;
	}

	private static boolean asks(Executable executable) {
		return List.of(executable.getParameterTypes()).contains(ControlPlane.class);
	}

}
